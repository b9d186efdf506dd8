import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { choosePayerOfEditor } from '../../../schema/api/extension.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { editorPayersQuery, extensionTokenQuery } from '../../api/account.ts'
import { failureText } from '../../api/failure.ts'
import { hasChoice, PayerChoice } from '../../components/account/PayerChoice.tsx'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'
import { useLater } from '../../ui/useLater.ts'

const loadDialog = async () => (await import('../../ui/Dialog.tsx')).Dialog

interface PaidByProps {
  userId: string
  /** Left out for the generated token. */
  id?: string
  /** What is paid for. */
  of: string
  payer: string
}

/** Who pays for the calls of an editor or of the generated token, and a way to change it. */
export function PaidBy({ userId, id, of, payer }: PaidByProps) {
  const api = useApi()
  const queryClient = useQueryClient()
  const Dialog = useLater(loadDialog)
  const { data: payers } = useQuery(editorPayersQuery(api, { payer: 'personal', userId }))
  /** While the dialog is open. */
  const [chosen, setChosen] = useState<string | null>(null)
  const change = useMutation({
    mutationFn: (payer: string) => api(choosePayerOfEditor, { body: { ...(id && { id }), payer } }),
    onSuccess: () => {
      setChosen(null)
      void queryClient.invalidateQueries({ queryKey: extensionTokenQuery(api, userId).queryKey })
      toast.success('Payer changed', { description: 'It counts from the next request.' })
    },
    onError: (error) =>
      toast.error('Change Failed', { description: failureText(error, 'Failed to change who pays') }),
  })
  if (!payers) return null
  const paying = payers.find((known) => known.id === payer)
  const isLost = paying === undefined || paying.cannot_pay === 'no_seat'
  return (
    <p className="mt-0.5 [overflow-wrap:anywhere]">
      Paid by {paying?.name ?? 'an organization that you have left'}
      {isLost && <span className="text-critical">: you have no seat there, so it cannot be used</span>}
      {(hasChoice(payers) || isLost) && (
        <button
          type="button"
          aria-label={`Change who pays for ${of}`}
          className="ml-2 text-accent-text underline underline-offset-4"
          onClick={() => setChosen(payer)}
        >
          Change
        </button>
      )}
      {Dialog && (
        <Dialog
          open={chosen !== null}
          onOpenChange={() => setChosen(null)}
          title="Who pays?"
          description={`For ${of}, from the next request.`}
        >
          <PayerChoice payers={payers} value={chosen ?? payer} onChange={setChosen} />
          <Button
            className="mt-5 w-full"
            busy={change.isPending}
            disabled={change.isPending || chosen === null || chosen === payer}
            onClick={() => chosen && change.mutate(chosen)}
          >
            Save
          </Button>
        </Dialog>
      )}
    </p>
  )
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { MonitorSmartphone } from 'lucide-react'
import { useState } from 'react'
import type { ResponseOf } from '../../../schema/api/endpoint.ts'
import {
  choosePayerOfEditor,
  type getActiveExtensionToken,
  type ListedPayer,
  revokeAllExtensionTokens,
  revokeEditor,
  revokeExtensionToken,
  type SignedInEditor,
} from '../../../schema/api/extension.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { extensionTokenQuery } from '../../api/account.ts'
import { hasChoice, PayerChoice } from '../../components/account/PayerChoice.tsx'
import { ConfirmButton } from '../../components/ConfirmButton.tsx'
import { formatDay, formatTime } from '../../components/format.ts'
import { toastFailure } from '../../components/toastFailure.ts'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'

export type Tokens = ResponseOf<typeof getActiveExtensionToken>

const shownAtFirst = 3

interface EditorsProps extends Pick<PaidByProps, 'userId' | 'payers'> {
  tokens: Tokens
  revocation: ReturnType<typeof useRevocation>
}

/** The editors that a person has signed in, the one that was used last first. */
export function Editors({ userId, payers, tokens, revocation }: EditorsProps) {
  const { editors, hasActive } = tokens
  const [isComplete, setIsComplete] = useState(false)
  const shown = isComplete ? editors : editors.slice(0, shownAtFirst)
  return (
    <section aria-labelledby="editors-title">
      <div className="flex min-h-8 items-center justify-between gap-4">
        <h3 id="editors-title" className="font-medium text-sm">
          Connected editors
        </h3>
        {editors.length + Number(hasActive) > 1 && (
          <ConfirmButton
            label="Revoke all"
            busy={revocation.isPending && revocation.variables === 'all'}
            title="Revoke all tokens?"
            text={`All connected editors are signed out${hasActive ? ', and your long-lived token ends' : ''}. You will need to sign in again from each editor.`}
            confirm="Revoke all"
            dismiss="Keep them"
            onConfirm={() => revocation.mutate('all')}
          />
        )}
      </div>
      <ul className="mt-1 divide-y divide-line">
        {shown.map((editor) => (
          <li key={editor.id} className="flex items-start gap-3 py-3">
            <MonitorSmartphone aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
            <Editor {...{ editor, userId, payers }} />
            <ConfirmButton
              label="Revoke"
              of={nameOf(editor)}
              busy={revocation.isPending && revocation.variables === editor.id}
              title={`Revoke ${nameOf(editor)}?`}
              text="It can no longer see your balance or spend your credits. To use it again, sign in from the editor."
              confirm="Revoke editor"
              dismiss="Keep it"
              onConfirm={() => revocation.mutate(editor.id)}
            />
          </li>
        ))}
      </ul>
      {shown.length < editors.length && (
        <Button variant="quiet" size="small" className="w-full" onClick={() => setIsComplete(true)}>
          Show all {editors.length} editors
        </Button>
      )}
    </section>
  )
}

const titleOf = ({ editor }: SignedInEditor) => editor ?? 'A program on a computer'

const nameOf = (editor: SignedInEditor) =>
  editor.name === null ? titleOf(editor) : `${titleOf(editor)}, “${editor.name}”`

function Editor({ editor, ...paid }: { editor: SignedInEditor } & Pick<PaidByProps, 'userId' | 'payers'>) {
  const { id, name, payer, last_used_at, signed_in_at, expires_at } = editor
  return (
    <div className="min-w-0 flex-1 text-sm">
      <p className="font-medium">{titleOf(editor)}</p>
      {name !== null && <p className="[overflow-wrap:anywhere]">Says it is “{name}”</p>}
      <PaidBy {...paid} id={id} payer={payer} />
      <p className="mt-0.5 text-muted">
        {last_used_at === null
          ? 'Not used yet'
          : `Last used ${formatDay(last_used_at)}, ${formatTime(last_used_at)}`}
      </p>
      <p className="mt-0.5 text-muted text-xs">
        Connected {formatDay(signed_in_at)}, expires {formatDay(expires_at)}
      </p>
    </div>
  )
}

interface PaidByProps {
  userId: string
  /** Undefined until they are known. */
  payers: readonly ListedPayer[] | undefined
  /** Left out for the generated token. */
  id?: string
  payer: string
}

/** Who pays for the calls of an editor or of the generated token, and a way to change it. */
export function PaidBy({ userId, payers, id, payer }: PaidByProps) {
  const api = useApi()
  const queryClient = useQueryClient()
  const change = useMutation({
    mutationFn: (payer: string) => api(choosePayerOfEditor, { body: { ...(id && { id }), payer } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: extensionTokenQuery(api, userId).queryKey })
      toast.success('Payer changed', { description: 'It counts from the next request.' })
    },
    onError: toastFailure('Failed to change who pays', 'Change Failed'),
  })
  if (!payers) return null
  const paying = payers.find((known) => known.id === payer)
  const isLost = paying === undefined || paying.cannot_pay === 'no_seat'
  const text = (
    <span className="[overflow-wrap:anywhere]">
      Paid by {paying?.name ?? 'an organization that you have left'}
      {isLost && <span className="text-critical">: you have no seat there, so its requests are refused</span>}
    </span>
  )
  if (!isLost && !hasChoice(payers)) return <p className="mt-0.5 text-sm">{text}</p>
  return (
    <details className="mt-0.5 text-sm">
      <summary className="cursor-pointer list-none">
        {text} <span className="ml-1 text-accent-text underline underline-offset-4">Change</span>
      </summary>
      <div className="my-2 rounded-control border p-3" aria-busy={change.isPending || undefined}>
        <PayerChoice
          payers={payers}
          value={change.isPending ? change.variables : payer}
          onChange={change.mutate}
        />
      </div>
    </details>
  )
}

const revoked = {
  editor: ['Editor revoked', 'It can no longer use your account.'],
  token: ['Token Revoked', 'The extension can no longer use it.'],
  all: ['All tokens revoked', 'No editor can use your account now.'],
} as const

/** Ends an editor by its id, the generated token (`token`) or all of them, and reads the list again. */
export function useRevocation(userId: string, onTokenRevoked: () => void) {
  const api = useApi()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async (what: string): Promise<unknown> => {
      if (what === 'all') return api(revokeAllExtensionTokens, {})
      return what === 'token' ? api(revokeExtensionToken, {}) : api(revokeEditor, { body: { id: what } })
    },
    onSuccess: async (_, what) => {
      const kind = what === 'all' || what === 'token' ? what : 'editor'
      if (kind !== 'editor') onTokenRevoked()
      await queryClient.invalidateQueries({ queryKey: extensionTokenQuery(api, userId).queryKey })
      const [title, description] = revoked[kind]
      toast.success(title, { description })
    },
    onError: toastFailure('Failed to revoke token', 'Revocation Failed'),
  })
}

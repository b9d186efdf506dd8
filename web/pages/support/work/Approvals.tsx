import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link } from 'react-router-dom'
import {
  adjustmentOf,
  approveSupportAct,
  refundOf,
  refuseSupportAct,
  type SupportAct,
} from '../../../../schema/api/support-acts.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { failureText } from '../../../api/failure.ts'
import { supportKey } from '../../../api/support.ts'
import { type RequestedActs, waitingActsQuery } from '../../../api/support-acts.ts'
import { useVerifiedApi } from '../../../api/useVerifiedApi.ts'
import { useSignedInUser } from '../../../auth/useSignedInUser.ts'
import { formatCreditChange, formatMoney } from '../../../components/format.ts'
import { ActResults } from '../../../components/support/acts/ActResults.tsx'
import { traceAddress } from '../../../components/support/addresses.ts'
import { CopyId } from '../../../components/support/CopyId.tsx'
import { Moment, utcTime } from '../../../components/support/Moment.tsx'
import { actName } from '../../../content/support/acts.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { toast } from '../../../ui/toast.ts'
import { ApproveErasure } from './ApproveErasure.tsx'

/** Acts that wait: a colleague approves or refuses them, the requester may take them back. */
export function Approvals() {
  const { user } = useSignedInUser()
  const userId = user?.id ?? ''
  const { data, dataUpdatedAt } = useQuery(waitingActsQuery(useApi(), userId))
  const waiting = data?.acts ?? []
  // An approved act stays visible until it has ended, although the list has dropped it.
  const [approved, setApproved] = useState<RequestedActs>()
  return (
    <>
      {waiting.length === 0 ? (
        <p className="mb-5 text-muted text-xs">
          No act waits for a second person. Looked up at {utcTime(new Date(dataUpdatedAt).toISOString())}.
        </p>
      ) : (
        <Card aria-labelledby="approvals-title" className="mb-5">
          <h2 id="approvals-title" className="px-4 pt-3 font-semibold text-sm">
            Waiting for a second person
          </h2>
          <ul className="mt-1 divide-y divide-line">
            {waiting.map((act) => (
              <Approval
                key={act.id}
                act={act}
                isOwn={act.requested_by.id === userId}
                onApproved={setApproved}
              />
            ))}
          </ul>
        </Card>
      )}
      {approved && (
        <Dialog
          wide
          onClose={() => setApproved(undefined)}
          title="Approved"
          description="It is done at once."
        >
          <ActResults started={approved} onClose={() => setApproved(undefined)} />
        </Dialog>
      )}
    </>
  )
}

interface ApprovalProps {
  act: SupportAct
  /** Requesters cannot approve their own acts. */
  isOwn: boolean
  onApproved: (approved: RequestedActs) => void
}

function Approval({ act, isOwn, onApproved }: ApprovalProps) {
  const api = useVerifiedApi()
  const queryClient = useQueryClient()
  // An adjustment can be undone by the opposite one, so it is approved by one click.
  const [asked, setAsked] = useState<'erase' | 'refuse'>()
  const { id, owner } = act
  const adjustment = adjustmentOf(act.params)
  const refund = refundOf(act.params)
  const answered = { onSettled: () => queryClient.invalidateQueries({ queryKey: supportKey }) }
  const approve = useMutation({
    mutationFn: (typed_address?: string) =>
      api(approveSupportAct, { body: { id, ...(typed_address !== undefined && { typed_address }) } }),
    onSuccess: ({ data }) => {
      setAsked(undefined)
      onApproved({ batch_id: null, needs_approval: false, acts: [data], refused: [] })
    },
    onError: (error) =>
      asked || toast.error('Error', { description: failureText(error, 'An unexpected error occurred') }),
    ...answered,
  })
  const refuse = useMutation({
    mutationFn: (reason: string) => api(refuseSupportAct, { body: { id, reason } }),
    onSuccess: () => {
      setAsked(undefined)
      toast.success(isOwn ? 'Taken back' : 'Refused')
    },
    ...answered,
  })
  const isBusy = approve.isPending || refuse.isPending
  const refuseName = isOwn ? 'Take back' : 'Refuse'
  const what = adjustment
    ? `${formatCreditChange(adjustment.credits)} credits for `
    : `${actName(act.kind)}${refund ? ` ${formatMoney(refund.amount_minor, refund.currency)}` : ''}: `
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5 text-sm">
      <div className="min-w-60 flex-1">
        <p className="font-medium">
          {what}
          {owner ? (
            <Link
              to={traceAddress({ owner: owner.owner_id })}
              className="text-accent-text underline underline-offset-4"
            >
              {owner.label ?? owner.owner_id}
            </Link>
          ) : (
            act.target.id
          )}
        </p>
        <p className="mt-0.5 text-muted [overflow-wrap:anywhere]">
          {act.reason}
          {adjustment && (
            <span className="text-faint"> The customer reads: “{adjustment.customer_note}”</span>
          )}
        </p>
        <p className="mt-0.5 flex flex-wrap items-center gap-x-2 text-faint text-xs">
          <span>
            {isOwn ? 'You' : act.requested_by.name} · <Moment at={act.requested_at} />
          </span>
          <CopyId id={owner?.owner_id ?? act.target.id} />
        </p>
      </div>
      <div className="ml-auto flex gap-2">
        <Button variant="secondary" size="small" disabled={isBusy} onClick={() => setAsked('refuse')}>
          {refuseName}
        </Button>
        {!isOwn && (
          <Button
            size="small"
            busy={approve.isPending}
            disabled={isBusy}
            onClick={() => (act.kind === 'forget' ? setAsked('erase') : approve.mutate(undefined))}
          >
            Approve
          </Button>
        )}
      </div>
      {asked && (
        <Dialog
          onClose={() => setAsked(undefined)}
          wide={asked === 'erase'}
          title={`${asked === 'erase' ? '' : `${refuseName}: `}${what}${owner?.label ?? act.target.id}`}
          description={
            asked === 'erase'
              ? 'It cannot be undone. Check what goes, and type the person’s email address.'
              : 'Nothing is done, and the act can be asked for again.'
          }
        >
          {asked === 'erase' ? (
            <ApproveErasure
              act={act}
              isPending={approve.isPending}
              error={approve.error}
              onApprove={approve.mutate}
              onCancel={() => setAsked(undefined)}
            />
          ) : (
            <RefuseForm
              name={refuseName}
              isPending={refuse.isPending}
              error={refuse.error}
              onRefuse={refuse.mutate}
            />
          )}
        </Dialog>
      )}
    </li>
  )
}

interface RefuseFormProps {
  name: string
  isPending: boolean
  error: unknown
  onRefuse: (reason: string) => void
}

function RefuseForm({ name, isPending, error, onRefuse }: RefuseFormProps) {
  const [reason, setReason] = useState('')

  function submit(event: FormEvent) {
    event.preventDefault()
    onRefuse(reason)
  }

  return (
    <form noValidate onSubmit={submit}>
      <Field
        label="Reason"
        autoFocus
        autoComplete="off"
        maxLength={1000}
        value={reason}
        disabled={isPending}
        problem={error ? failureText(error, 'An unexpected error occurred. Please try again.') : null}
        hint="For your colleagues, in the audit log."
        onChange={({ target }) => setReason(target.value)}
      />
      <div className="mt-4 flex justify-end">
        <Button type="submit" busy={isPending}>
          {name}
        </Button>
      </div>
    </form>
  )
}

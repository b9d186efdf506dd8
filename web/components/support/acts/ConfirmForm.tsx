import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import {
  type ActKind,
  type ActTarget,
  reasonProblem,
  requestSupportActs,
} from '../../../../schema/api/support-acts.ts'
import { failureText } from '../../../api/failure.ts'
import type { RequestedActs } from '../../../api/support-acts.ts'
import { useVerifiedApi } from '../../../api/useVerifiedApi.ts'
import { actWords } from '../../../content/support/acts.ts'
import { Alert } from '../../../ui/Alert.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Field } from '../../../ui/Field.tsx'
import { counted } from '../labels.ts'
import { DryRun, useDryRun } from './DryRun.tsx'
import type { ActRequest } from './useAct.ts'

interface ConfirmFormProps {
  kind: ActKind
  targets: readonly ActTarget[]
  params: ActRequest['params']
  onClose: () => void
  /** To its form, where it has one. */
  onBack: (() => void) | undefined
  onStarted: (started: RequestedActs) => void
}

/** What would follow, worked out at once; then the reason, without which nothing is done. */
export function ConfirmForm({ kind, targets, params, onClose, onBack, onStarted }: ConfirmFormProps) {
  const api = useVerifiedApi()
  // Born before the call: one that is repeated is about the same act.
  const [actId] = useState(() => crypto.randomUUID())
  const [reason, setReason] = useState('')
  const [checked, setChecked] = useState(false)
  const body = { kind, targets: [...targets], params: { ...params } }
  const dryRun = useDryRun(body)
  const act = useMutation({
    mutationFn: async () => (await api(requestSupportActs, { body: { ...body, id: actId, reason } })).data,
    onSuccess: onStarted,
  })
  const { needsApproval } = dryRun
  // An erasure cannot be undone, so it is asked for only with its preview in sight.
  const isBlind = kind === 'forget' && dryRun.acts[0]?.outcome?.changed !== true
  const problem = reasonProblem(reason)
  const { name: one } = actWords[kind]
  const name = targets.length === 1 ? one : `${one} ${counted(targets.length, 'item')}`

  function submit(event: FormEvent) {
    event.preventDefault()
    setChecked(true)
    if (problem === null && !isBlind && !act.isPending) act.mutate()
  }

  return (
    <form noValidate onSubmit={submit}>
      <DryRun {...dryRun} />
      {needsApproval && !isBlind && (
        <p className="mt-3 text-muted text-sm">
          A second person has to approve this. It waits in Work until then.
        </p>
      )}
      <div className="mt-5">
        <Field
          label="Reason"
          autoFocus
          autoComplete="off"
          maxLength={1000}
          placeholder="Reason for this act"
          value={reason}
          disabled={act.isPending}
          problem={checked ? problem : null}
          hint="For your colleagues, in the audit log. The customer does not see it."
          onChange={({ target }) => setReason(target.value)}
        />
      </div>
      {act.isError && (
        <Alert tone="critical" title="The act failed">
          {failureText(act.error, 'An unexpected error occurred. Please try again.')}
        </Alert>
      )}
      <div className="mt-4 flex flex-col-reverse gap-2.5 sm:flex-row sm:justify-end">
        <Button variant="secondary" onClick={onBack ?? onClose}>
          {onBack ? 'Back' : 'Cancel'}
        </Button>
        <Button type="submit" busy={act.isPending} disabled={isBlind}>
          {kind === 'forget' ? 'Ask a colleague to erase' : needsApproval ? 'Ask a colleague' : name}
        </Button>
      </div>
    </form>
  )
}

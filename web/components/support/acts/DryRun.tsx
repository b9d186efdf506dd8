import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ActKind } from '../../../../schema/api/support-acts.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { failureText } from '../../../api/failure.ts'
import { actProgressQuery, dryRunQuery, isSettled, type RequestedActs } from '../../../api/support-acts.ts'
import { actWords, whyNothing } from '../../../content/support/acts.ts'
import { reasonText } from '../../../content/support/failures.ts'
import { sentence } from '../../../content/support/words.ts'
import { Alert } from '../../../ui/Alert.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Spinner } from '../../../ui/Spinner.tsx'
import { formatCredits } from '../../format.ts'
import { WorkerSilence } from '../WorkerSilence.tsx'
import { ActList } from './BatchProgress.tsx'
import { Changes } from './Changes.tsx'
import { changesOf, summaryOf } from './outcome.ts'
import { useAct } from './useAct.ts'

/** Asks what would follow of acts. */
export function useDryRun(asked: Omit<Parameters<typeof dryRunQuery>[1], 'id'>) {
  // Born before the call: one that is repeated is about the same act.
  const [id] = useState(() => crypto.randomUUID())
  const { data, error } = useQuery(dryRunQuery(useApi(), { ...asked, id }))
  return { ...useProgress(data), error, needsApproval: data?.needs_approval === true }
}

/** What would follow: the same work, done and taken back. */
export function DryRun({ acts, worker, refused, isSettled, error }: ReturnType<typeof useDryRun>) {
  const ask = useAct()
  const [act] = acts
  const isOne = acts.length + refused.length === 1
  if (error) {
    return (
      <Alert tone="critical" title="The preview failed">
        {failureText(error, 'Please try again.')}
      </Alert>
    )
  }
  if (!isSettled && worker?.is_silent)
    return <WorkerSilence worker={worker} then="Asked; the preview comes when one answers." />
  if (!isSettled) {
    const done = acts.filter(({ state }) => state !== 'queued').length
    // As high as most answers, so that the dialog moves little when one arrives.
    return (
      <div
        role="status"
        className="flex min-h-40 items-center gap-2.5 rounded-control bg-sunken px-4 py-3 text-muted text-sm"
      >
        <Spinner />
        <span>
          Computing the changes …
          {acts.length > 1 && ` ${formatCredits(done)} of ${formatCredits(acts.length)}`}
          {isOne && act?.last_error && <span className="block text-xs">{reasonText(act.last_error)}</span>}
        </span>
      </div>
    )
  }
  if (!isOne || !act) {
    return (
      <div className="space-y-3">
        <p role="status" className="font-medium text-sm">
          {summaryOf(acts, refused.length)}
        </p>
        <ActList acts={acts} refused={refused} />
      </div>
    )
  }
  if (act.is_unavailable) {
    return (
      <Alert tone="caution" title="It cannot be computed now">
        {sentence(reasonText(act.error ?? ''))} The change itself would be tried again until it works, for up
        to an hour.
      </Alert>
    )
  }
  if (!act.outcome) {
    return (
      <Alert tone="critical" title="It would fail">
        {reasonText(act.error ?? 'Unknown cause.')}
      </Alert>
    )
  }
  const { first, erasure } = act.outcome
  if (first) {
    const { name } = actWords[first.kind]
    return (
      <Alert tone="caution" title="It is not possible yet">
        <p className="mb-2">{whyNothing(act.outcome)}</p>
        <Button
          size="small"
          onClick={() =>
            ask({
              kind: first.kind,
              targets: [first.target],
              subject: `${first.target.kind} ${first.target.id}`,
            })
          }
        >
          {name}
        </Button>
      </Alert>
    )
  }
  if (!act.outcome.changed) {
    return (
      <Alert tone="info" title="Nothing would change">
        {whyNothing(act.outcome)}
      </Alert>
    )
  }
  // Alone it is all that changes; an erasure has a list.
  const did =
    changesOf(act.outcome).length > 0 && !erasure && actWords[act.kind as ActKind]?.did?.(act.outcome)
  return (
    <div role="status">
      <p className="mb-2 font-medium text-sm">This would change</p>
      {did && <p className="mb-2 text-sm">{did}</p>}
      <Changes kind={act.kind} outcome={act.outcome} />
    </div>
  )
}

/** Polls acts until all of them have ended or wait for a second person. */
export function useProgress(requested: RequestedActs | undefined) {
  const first = requested?.acts[0]
  const asked = requested?.batch_id ? { batch_id: requested.batch_id } : { id: first?.id ?? '' }
  const isUnderWay = requested !== undefined && !requested.acts.every(isSettled)
  const { data } = useQuery({ ...actProgressQuery(useApi(), asked), enabled: isUnderWay })
  const acts = data?.acts ?? requested?.acts ?? []
  return {
    acts,
    worker: data?.worker,
    refused: requested?.refused ?? [],
    isSettled: requested !== undefined && acts.every(isSettled),
  }
}

import type { WorkerHeard } from '../../../schema/api/support-acts.ts'
import { Alert } from '../../ui/Alert.tsx'
import { utcTime } from './Moment.tsx'

/** `No worker has answered since 14:32 UTC`; null while one answers. */
export function silenceText(worker: WorkerHeard | undefined): string | null {
  if (!worker?.is_silent) return null
  return `No worker has answered ${worker.heard_at ? `since ${utcTime(worker.heard_at)}` : 'yet'}`
}

/** Says so, and what follows from it. */
export function WorkerSilence({ worker, children }: { worker: WorkerHeard | undefined; children: string }) {
  const title = silenceText(worker)
  return (
    title && (
      <Alert tone="caution" title={title}>
        {children}
      </Alert>
    )
  )
}

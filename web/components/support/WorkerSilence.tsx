import type { WorkerHeard } from '../../../schema/api/support-acts.ts'
import { momentText } from '../../content/support/words.ts'
import { Alert } from '../../ui/Alert.tsx'

/** Says since when no worker answers, and what follows; nothing while one answers. */
export function WorkerSilence({ worker, then }: { worker: WorkerHeard | undefined; then: string }) {
  if (!worker?.is_silent) return null
  const title = `No worker has answered ${worker.heard_at ? `since ${momentText(worker.heard_at)}` : 'yet'}`
  return (
    <Alert tone="caution" title={title}>
      {then}
    </Alert>
  )
}

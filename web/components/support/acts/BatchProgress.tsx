import { useMutation, useQueryClient } from '@tanstack/react-query'
import { cancelSupportActs, type SupportAct } from '../../../../schema/api/support-acts.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { failureText } from '../../../api/failure.ts'
import { isSettled, progressKey, type RequestedActs } from '../../../api/support-acts.ts'
import { Button } from '../../../ui/Button.tsx'
import { toast } from '../../../ui/toast.ts'
import { formatCredits } from '../../format.ts'
import { ActList } from './ActList.tsx'
import { summaryOf } from './outcome.ts'

interface BatchProgressProps {
  batchId: string | null
  acts: readonly SupportAct[]
  refused: RequestedActs['refused']
}

/** How far acts that were asked for together have come. What has not begun can be cancelled. */
export function BatchProgress({ batchId, acts, refused }: BatchProgressProps) {
  const api = useApi()
  const queryClient = useQueryClient()
  const cancel = useMutation({
    mutationFn: (batch_id: string) => api(cancelSupportActs, { body: { batch_id } }),
    onError: (error) =>
      toast.error('Error', { description: failureText(error, 'An unexpected error occurred') }),
    onSettled: (_, __, batch_id) => queryClient.invalidateQueries({ queryKey: progressKey({ batch_id }) }),
  })
  const done = acts.filter(isSettled).length
  const isOver = done === acts.length
  return (
    <div className="space-y-4">
      <progress
        aria-label="Progress"
        max={acts.length}
        value={done}
        className="block h-1.5 w-full overflow-hidden rounded-full accent-accent"
      />
      <div className="flex min-h-8 items-center justify-between gap-3">
        <p role="status" className="font-medium text-sm">
          {isOver
            ? summaryOf(acts, refused.length)
            : `${formatCredits(done)} of ${formatCredits(acts.length)} done`}
        </p>
        {!isOver && batchId && (
          <Button
            variant="secondary"
            size="small"
            busy={cancel.isPending}
            onClick={() => cancel.mutate(batchId)}
          >
            Cancel the rest
          </Button>
        )}
      </div>
      <ActList acts={acts} refused={refused} />
    </div>
  )
}

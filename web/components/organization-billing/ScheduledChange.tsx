import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CalendarClock } from 'lucide-react'
import {
  cancelOrganizationSubscription,
  keepSeats,
  type OrganizationSubscription,
} from '../../../schema/api/organizations.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { failureText } from '../../api/failure.ts'
import { type OrganizationView, organizationSubscriptionQuery } from '../../api/organizations.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { toast } from '../../ui/toast.ts'
import { formatDay } from '../format.ts'

/** What waits for the next period: fewer or more seats, or the end of the subscription. */
export function ScheduledChange({ view }: { view: OrganizationView }) {
  const { data } = useQuery(organizationSubscriptionQuery(useApi(), view))
  if (!data?.hasSubscription || !data.subscription) return null
  const { subscription } = data
  if (subscription.scheduled_change) {
    return <SeatChange view={view} seats={subscription.seats_total} change={subscription.scheduled_change} />
  }
  if (!subscription.cancel_at) return null
  return (
    <div className="mt-6">
      <Alert tone="caution" title={`The subscription ends on ${formatDay(subscription.cancel_at)}`}>
        Everyone keeps their seat until then.
      </Alert>
    </div>
  )
}

interface SeatChangeProps {
  view: OrganizationView
  /** The present ones. */
  seats: number
  change: NonNullable<OrganizationSubscription['scheduled_change']>
}

/** While a change is scheduled, the billing portal can neither undo it nor cancel the plan. */
function SeatChange({ view, seats, change }: SeatChangeProps) {
  const keep = useSubscriptionChange(view, {
    endpoint: keepSeats,
    done: () => `The subscription keeps its ${count(seats)}.`,
    failed: 'Failed to keep seats',
  })
  const cancel = useSubscriptionChange(view, {
    endpoint: cancelOrganizationSubscription,
    done: (at) => `The subscription ends on ${formatDay(at ?? change.at)}.`,
    failed: 'Failed to cancel subscription',
  })
  const busy = keep.isPending || cancel.isPending
  const day = formatDay(change.at)
  return (
    <section
      aria-labelledby="scheduled-change"
      className="mt-6 flex flex-col gap-4 rounded-card border border-caution-line bg-caution-soft px-5 py-4 md:flex-row md:items-center md:justify-between"
    >
      <div className="flex gap-3">
        <CalendarClock aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-caution" />
        <div>
          <h2 id="scheduled-change" className="font-medium text-sm">
            From {day}: {count(change.seats)} instead of {seats}
          </h2>
          <p className="mt-0.5 text-ink/80 text-sm">Until then nothing changes, and you can keep them all.</p>
        </div>
      </div>
      <div className="flex shrink-0 flex-wrap gap-2">
        <Button
          variant="secondary"
          size="small"
          busy={keep.isPending}
          disabled={busy}
          onClick={() => keep.mutate()}
        >
          Keep {count(seats)}
        </Button>
        <ConfirmDialog
          trigger={
            <Button variant="quiet" size="small" busy={cancel.isPending} disabled={busy}>
              Cancel subscription…
            </Button>
          }
          title="Cancel the subscription?"
          text={`It ends on ${day}. Until then everyone keeps their seat, and the credits that come with the plan stay usable.`}
          confirm="Cancel subscription"
          dismiss="Keep subscription"
          onConfirm={() => cancel.mutate()}
        />
      </div>
    </section>
  )
}

interface Change {
  endpoint: typeof keepSeats | typeof cancelOrganizationSubscription
  done: (cancel_at: string | null) => string
  failed: string
}

/** Puts Stripe's answer in the cache: our own rows follow later, so a refetch would show the old state. */
function useSubscriptionChange(view: OrganizationView, { endpoint, done, failed }: Change) {
  const api = useApi()
  const queryClient = useQueryClient()
  const { queryKey } = organizationSubscriptionQuery(api, view)
  return useMutation({
    mutationFn: () => api(endpoint, { body: { clerk_org_id: view.organizationId } }),
    onSuccess: async ({ cancel_at }) => {
      await queryClient.cancelQueries({ queryKey })
      queryClient.setQueryData(queryKey, (known) => {
        if (!known?.subscription) return known
        return { ...known, subscription: { ...known.subscription, scheduled_change: null, cancel_at } }
      })
      toast.success(done(cancel_at))
    },
    onError: (error) => toast.error('Error', { description: failureText(error, failed) }),
  })
}

function count(seats: number): string {
  return `${seats} ${seats === 1 ? 'seat' : 'seats'}`
}

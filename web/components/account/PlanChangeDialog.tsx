import { useQuery } from '@tanstack/react-query'
import { type PlanChangePreview, startPlanChange } from '../../../schema/api/plan-changes.ts'
import type { BillingFrequency } from '../../../schema/catalogue/plans.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { type PayerView, planChangeQuery } from '../../api/account.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Fact } from '../../ui/Fact.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { FailurePanel } from '../FailurePanel.tsx'
import { formatCredits, formatDay, formatMoney } from '../format.ts'
import { toastFailure } from '../toastFailure.ts'
import { useHostedPage } from '../useHostedPage.ts'

interface PlanChangeDialogProps {
  payer: PayerView
  to: BillingFrequency
  onClose: () => void
}

/** What the change costs and what becomes of the credits; then Stripe's page, which asks once more. */
export function PlanChangeDialog({ payer, to, onClose }: PlanChangeDialogProps) {
  const api = useApi()
  const preview = useQuery(planChangeQuery(api, payer))
  const confirm = useHostedPage<void>({
    mutationFn: () =>
      api(startPlanChange, { query: { payer: payer.payer }, body: { billing_frequency: to } }),
    onError: toastFailure('Failed to create checkout session'),
  })
  return (
    <Dialog
      onClose={onClose}
      title={`Switch to ${to} billing`}
      description="You see the exact amount on the next page and confirm it there. Nothing changes before that."
    >
      {preview.isLoadingError ? (
        <FailurePanel title="The preview could not be loaded" query={preview} />
      ) : (
        <>
          {preview.data ? (
            <Terms preview={preview.data} />
          ) : (
            <div role="status" className="space-y-3">
              <span className="sr-only">Loading the preview</span>
              <Skeleton className="h-5 w-full" />
              <Skeleton className="h-5 w-full" />
              <Skeleton className="h-10 w-full" />
            </div>
          )}
          <div className="mt-6 flex flex-col-reverse gap-2.5 sm:flex-row sm:justify-end">
            <Button variant="secondary" onClick={onClose}>
              Cancel
            </Button>
            <Button busy={confirm.processing} disabled={!preview.data} onClick={() => confirm.open()}>
              {confirm.processing ? 'Processing...' : 'Review and confirm'}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}

function Terms({ preview }: { preview: PlanChangePreview }) {
  const { takes_effect, at, due_minor, price_minor, currency, credits, billing_frequency } = preview
  const each = `${formatMoney(price_minor, currency)} a ${billing_frequency === 'yearly' ? 'year' : 'month'}`
  const isNow = takes_effect === 'now'
  return (
    <>
      <dl className="divide-y divide-line text-sm tabular-nums">
        <Fact term="Due today" className="py-2">
          {isNow ? `about ${formatMoney(due_minor, currency)}` : 'Nothing'}
        </Fact>
        <Fact term={isNow ? 'Then' : `From ${formatDay(at)}`} className="py-2">
          {each}
        </Fact>
        {credits && (
          <Fact term="Plan credits after the change" className="py-2">
            {`${formatCredits(credits.left)} of ${formatCredits(credits.granted)}`}
          </Fact>
        )}
      </dl>
      <p className="mt-3 text-muted text-sm">{explain(preview)}</p>
    </>
  )
}

function explain({ takes_effect, credits }: PlanChangePreview): string {
  if (takes_effect === 'in_trial') return 'The free trial goes on. Only the price after it changes.'
  if (takes_effect === 'at_period_end') return 'You keep what you paid for until that day.'
  const rest = 'The unused days of the present month are deducted. A new month begins today'
  if (!credits || credits.left >= credits.granted) return `${rest}; plan credits left from this one expire.`
  const carried = formatCredits(credits.granted - credits.left)
  return `${rest}. It already counts ${carried} credits that you used beyond the days of the month that you keep.`
}

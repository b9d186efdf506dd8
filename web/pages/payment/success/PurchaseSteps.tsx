import { clsx } from 'clsx'
import { Check } from 'lucide-react'
import { useWebConfig } from '../../../api/catalogue.ts'
import { Spinner } from '../../../ui/Spinner.tsx'
import type { PlanPurchase } from './plan.ts'
import type { PurchaseProgress } from './progress.ts'

interface PurchaseStepsProps {
  progress: Extract<PurchaseProgress, { kind: 'verifying' | 'paid' | 'bank_pending' }>
  plan: PlanPurchase | null
  pooled: boolean
}

/** The way of an order from the payment page to the ledger, as far as it is known. */
export function PurchaseSteps({ progress, plan, pooled }: PurchaseStepsProps) {
  const { brand } = useWebConfig()
  const done = stepsDone(progress)
  const steps = [
    plan?.trial ? 'Order placed' : 'Paid',
    `Received by ${brand.name}`,
    'Queued',
    pooled ? 'In your organization’s pool' : 'In your balance',
  ]
  return (
    <ol aria-label="Progress" className="space-y-3 rounded-control border bg-sunken px-4 py-4 text-sm">
      {steps.map((step, index) => (
        <li
          key={step}
          aria-current={index === done ? 'step' : undefined}
          className={clsx('flex items-center gap-3', index <= done ? 'text-ink' : 'text-faint')}
        >
          <span
            aria-hidden="true"
            className={clsx(
              'grid size-5 shrink-0 place-items-center rounded-full',
              index < done ? 'bg-positive-soft text-positive' : 'ring-1 ring-line-strong',
            )}
          >
            {index < done && <Check className="size-3.5" />}
            {index === done && <Spinner className="size-3 text-accent" />}
          </span>
          {step}
          {index < done && <span className="sr-only">: done</span>}
        </li>
      ))}
    </ol>
  )
}

/** How many of the steps are behind it. */
function stepsDone(progress: PurchaseStepsProps['progress']): number {
  if (progress.kind !== 'paid') return 0
  return progress.stage === 'queued' ? 3 : 2
}

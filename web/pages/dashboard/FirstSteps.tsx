import { Check } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import type { AccountSummary } from '../../../schema/api/account.ts'
import { planOf } from '../../../schema/catalogue/sold-plans.ts'
import { EditorLink } from '../../components/EditorLink.tsx'
import { formatCredits } from '../../components/format.ts'
import { cn } from '../../ui/cn.ts'

const newForMs = 14 * 24 * 3_600_000

interface FirstStepsProps {
  summary: AccountSummary
  /** Whether an editor has a token. */
  connected: boolean
}

/** A new account's checklist, hidden once it is done or the account is no longer new. */
export function FirstSteps({ summary, connected }: FirstStepsProps) {
  const titleId = useId()
  const { balance, credits_on_the_way, as_of, member_since, may_manage, organization_name } = summary
  const isWithoutSeat = needsSeat(summary)
  const hasCredits = !isWithoutSeat && (balance.had_credits || credits_on_the_way > 0)
  const isNew = Date.parse(as_of) - Date.parse(member_since ?? as_of) < newForMs
  if ((connected && hasCredits) || (!isNew && balance.had_credits)) return null
  return (
    <section
      aria-labelledby={titleId}
      className="mb-4 rounded-card border border-accent-line bg-accent-soft px-5 py-5 sm:mb-5 sm:px-6"
    >
      <h2 id={titleId} className="text-base">
        Get started
      </h2>
      <ol className="mt-3 grid gap-3 sm:grid-cols-2">
        <Step
          done={connected}
          number={1}
          title="Connect your editor"
          text={`Sign in from the extension${organization_name === null ? ', or paste a token into it' : ` and let ${organization_name} pay`}.`}
          href="#extension-token"
          more={<EditorLink />}
        />
        <Step
          done={hasCredits}
          number={2}
          title={isWithoutSeat ? 'Get a seat' : hasCredits ? 'Credits to use' : 'Add credits'}
          text={creditsText(summary)}
          href={may_manage ? '#add-credits' : null}
        />
      </ol>
    </section>
  )
}

/** A member who may not use the organization's credits yet, however many it has. */
function needsSeat({ payer, has_seat, may_manage }: AccountSummary): boolean {
  return payer !== 'personal' && !has_seat && !may_manage
}

function creditsText(summary: AccountSummary): string {
  const { plan_type, subscription, may_manage, balance } = summary
  if (needsSeat(summary)) return 'An administrator assigns it to you.'
  if (balance.had_credits && subscription?.plan_type === plan_type && !subscription.lapses_at) {
    const each = planOf(plan_type).per_seat ? ' for each seat' : ''
    return `Your plan adds ${formatCredits(subscription.credits_per_seat)} credits every month${each}.`
  }
  if (!may_manage) return 'An administrator can add credits.'
  return 'Credits pay for requests. Purchased credits never expire.'
}

interface StepProps {
  done: boolean
  number: number
  title: string
  text: string
  /** Null where the reader cannot do it. */
  href: string | null
  /** Shown until the step is done. */
  more?: ReactNode
}

function Step({ done, number, title, text, href, more }: StepProps) {
  return (
    <li className="flex gap-3 rounded-control bg-surface p-3.5 shadow-low">
      <span
        aria-hidden="true"
        className={cn(
          'grid size-6 shrink-0 place-items-center rounded-full font-semibold text-xs tabular-nums',
          done ? 'bg-positive-soft text-positive' : 'bg-accent text-on-accent',
        )}
      >
        {done ? <Check className="size-3.5" /> : number}
      </span>
      <div className="min-w-0 text-sm">
        {done || href === null ? (
          <p className="font-medium">
            {title}
            {done && <span className="sr-only">: done</span>}
          </p>
        ) : (
          <a href={href} className="font-medium text-accent-text underline underline-offset-4">
            {title}
          </a>
        )}
        <p className="mt-0.5 text-muted">{text}</p>
        {!done && more && <p className="mt-2">{more}</p>}
      </div>
    </li>
  )
}

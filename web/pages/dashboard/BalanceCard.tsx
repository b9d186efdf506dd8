import { Clock } from 'lucide-react'
import * as z from 'zod/mini'
import { type AccountSummary, accountSummarySchema } from '../../../schema/api/account.ts'
import { keepForPerson, type RememberedPerson, readForPerson } from '../../auth/rememberedPerson.ts'
import {
  BalanceParts,
  balanceNote,
  creditsShown,
  creditsUnit,
  LowBalanceBadge,
} from '../../components/account/balance.tsx'
import { formatCredits, formatDay, formatTime } from '../../components/format.ts'
import { AddCreditsLink } from '../../components/RouteButton.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'

export function BalanceCard({ summary }: { summary: AccountSummary }) {
  const { balance, credits_on_the_way, may_manage } = summary
  return (
    <Card aria-labelledby="balance-title" className="flex flex-col lg:col-span-3">
      <CardHeader
        id="balance-title"
        title="Available Credits"
        action={balance.low && credits_on_the_way === 0 && <LowBalanceBadge summary={summary} />}
      />
      <div className="flex flex-1 flex-col px-5 pt-3 pb-5 sm:px-6 sm:pb-6">
        <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
          <Figure balance={balance} />
          {credits_on_the_way > 0 && (
            <p role="status" className="flex items-center gap-1.5 font-medium text-accent-text text-sm">
              <Clock aria-hidden="true" className="size-4" />
              {formatCredits(credits_on_the_way)} credits on the way
            </p>
          )}
        </div>
        <div className="mt-4 space-y-3 text-sm tabular-nums">
          <BalanceParts summary={summary} />
          <p className="text-muted">{balanceNote(summary)}</p>
        </div>
        {/* Before that the checklist leads to the form, and a low balance has a notice that does. */}
        {may_manage && balance.had_credits && !balance.low && (
          <div className="mt-auto flex justify-end pt-4">
            <AddCreditsLink />
          </div>
        )}
      </div>
    </Card>
  )
}

function Figure({ balance }: Pick<AccountSummary, 'balance'>) {
  return (
    <p className="font-semibold text-4xl tabular-nums">
      <span>{creditsShown(balance)}</span>{' '}
      <span className="font-normal text-base text-muted tracking-normal">{creditsUnit(balance)}</span>
    </p>
  )
}

/** What the dashboard showed last, in whose place the balance comes. */
export function LastBalanceCard({ figures }: { figures: LastFigures }) {
  const { balance, as_of } = figures
  return (
    <Card aria-labelledby="last-balance-title" className="flex min-h-61 flex-col lg:col-span-3">
      <CardHeader id="last-balance-title" title="Last known credits" />
      <div className="flex flex-1 flex-col px-5 pt-3 pb-5 text-muted tabular-nums sm:px-6 sm:pb-6">
        <Figure balance={balance} />
        <div className="mt-4 min-h-5 text-sm">
          <BalanceParts summary={figures} />
        </div>
        <p className="mt-auto pt-4 text-sm leading-8 max-sm:leading-5">
          As of {formatDay(as_of)}, {formatTime(as_of)}. The current balance is loading.
        </p>
      </div>
    </Card>
  )
}

/** Shorter than a session lasts, after whose end its cookie is still there. */
const longest_ms = 24 * 3_600_000

const lastFiguresSchema = z.extend(
  z.pick(accountSummarySchema, { payer: true, balance: true, plan_month: true, as_of: true }),
  { kept_at: z.number() },
)
type LastFigures = z.infer<typeof lastFiguresSchema>

export function keepFigures(userId: string, { payer, balance, plan_month, as_of }: AccountSummary): void {
  keepForPerson(userId, { payer, balance, plan_month, as_of, kept_at: Date.now() } satisfies LastFigures)
}

/** What the dashboard showed this person last of the same account, to be shown with its time. */
export function lastFigures(person: RememberedPerson | null): LastFigures | null {
  if (!person) return null
  const { data } = z.safeParse(lastFiguresSchema, readForPerson(person.userId))
  const age_ms = Date.now() - (data?.kept_at ?? 0)
  return data?.payer === person.payer && age_ms >= 0 && age_ms < longest_ms ? data : null
}

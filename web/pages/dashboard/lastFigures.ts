import * as z from 'zod/mini'
import { type AccountSummary, accountSummarySchema } from '../../../schema/api/account.ts'
import { keepForPerson, type RememberedPerson, readForPerson } from '../../auth/rememberedPerson.ts'

/** Shorter than a session lasts, after whose end its cookie is still there. */
const longest_ms = 24 * 3_600_000

const lastFiguresSchema = z.extend(
  z.pick(accountSummarySchema, { payer: true, balance: true, plan_month: true, as_of: true }),
  { kept_at: z.number() },
)
export type LastFigures = z.infer<typeof lastFiguresSchema>

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

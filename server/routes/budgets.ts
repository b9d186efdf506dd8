import {
  askForMore,
  type Budget,
  type BudgetScope,
  getBudgets,
  raiseBudget,
  setBudget,
} from '../../schema/api/budgets.ts'
import { retryTransaction } from '../../schema/database/retry.ts'
import {
  type Budget as Found,
  findMemberDefault,
  listBudgets,
  askForMore as writeAsk,
  setBudget as writeBudget,
  raiseBudget as writeRaise,
} from '../../schema/ledger/budgets.ts'
import { listActiveSeatHolders } from '../../schema/people/seats/seats.ts'
import { invalidRequest, refusal, ServerError } from '../errors.ts'
import { rowsFailure } from '../failures.ts'
import { thePayer } from '../rights.ts'
import { route } from '../route.ts'

const doing = 'change spending limits'

export const budgetsRoutes = [
  route(getBudgets, {
    rights: thePayer(),
    failure: rowsFailure('Failed to load spending limits'),
  }).handle(async ({ owner_id, member, may_manage, user_id }, { db, now }) => {
    const people = member && may_manage ? await listActiveSeatHolders(db, owner_id) : [user_id]
    // The caller is listed for the limit of all, also without a seat.
    const found = await listBudgets(db, { owner_id, people: [...new Set([...people, user_id])], now: now() })
    const everyone = found.find(({ scope }) => isOfAll(scope))
    return {
      success: true,
      everyone: everyone ? present(everyone) : null,
      member_default: member ? await findMemberDefault(db, owner_id) : null,
      people: (member ? people : []).map((id) => {
        const budget = found.find(({ person, scope }) => person === id && !isOfAll(scope))
        return { user_id: id, budget: budget ? present(budget) : null }
      }),
    }
  }),

  route(setBudget, { rights: thePayer({ doing }) }).handle(
    async ({ body, owner_id, member, user_id: set_by }, deps) => {
      const { scope, user_id = null, limit, period, confirmed } = body
      if ((scope === 'own') !== (member === null) || (scope === 'member') !== (user_id !== null))
        throw invalidRequest('This limit is not one of this payer', [
          {
            path: 'scope',
            message: 'own for personal, another one for an organization; member with user_id',
          },
        ])
      const now = deps.now()
      const people = scope === 'own' ? [set_by] : await listActiveSeatHolders(deps.db, owner_id)
      if (user_id !== null && !people.includes(user_id)) throw refusal('budget_not_found')
      await retryTransaction(deps.db, async (trx) => {
        await writeBudget(trx, { owner_id, scope, user_id, credits: limit, period, set_by, now })
        if (confirmed || limit === null) return
        const affected = scope === 'member_default' ? people : [user_id ?? set_by]
        const above = (await listBudgets(trx, { owner_id, people: affected, now }))
          .filter((budget) => budget.scope === scope && budget.left < 0)
          .toSorted((one, other) => one.left - other.left)
        const [worst] = above
        // It rolls back.
        if (worst) throw belowSpent(worst, isOfAll(scope) ? null : above.length)
      })
      return { success: true }
    },
  ),

  route(raiseBudget, { rights: thePayer({ doing }) }).handle(
    async ({ body: { budget_id, user_id, limit }, owner_id, user_id: caller }, { db, now }) => {
      const person = user_id ?? caller
      const of = { owner_id, budget_id, person, now: now() }
      if (user_id !== undefined && !(await listActiveSeatHolders(db, owner_id)).includes(user_id))
        throw refusal('budget_not_found')
      await requireBudget(db, of)
      return { success: true, raised: await writeRaise(db, { ...of, credits: limit }) }
    },
  ),

  route(askForMore, { rights: thePayer() }).handle(
    async ({ body: { budget_id }, owner_id, user_id: person }, { db, now }) => {
      const of = { owner_id, budget_id, person, now: now() }
      await requireBudget(db, of)
      return { success: true, asked: await writeAsk(db, of) }
    },
  ),
]

const isOfAll = (scope: BudgetScope) => scope === 'organization' || scope === 'own'

async function requireBudget(
  db: Parameters<typeof listBudgets>[0],
  { owner_id, budget_id, person, now }: { owner_id: string; budget_id: string; person: string; now: Date },
): Promise<void> {
  const applying = await listBudgets(db, { owner_id, people: [person], now })
  if (!applying.some(({ id }) => id === budget_id)) throw refusal('budget_not_found')
}

function belowSpent({ used: spent, held, credits }: Found, people: number | null): ServerError {
  const who = people === null ? 'All together' : people === 1 ? 'One person' : `${people} people, one of whom`
  const has = held > 0 ? `spent ${spent} and reserved ${held}` : `spent ${spent}`
  const text = `${who} ${people === null ? 'have' : 'has'} ${has} of ${credits} credits in this period already. The limit blocks at once; requests that are running finish.`
  return new ServerError(409, 'limit_below_spent', text, { details: { spent, held, people } })
}

function present({ credits: limit, used: spent, used_before: spent_before, ...budget }: Found): Budget {
  return {
    ...budget,
    limit,
    spent,
    spent_before,
    starts_at: budget.starts_at.toISOString(),
    resets_at: budget.resets_at.toISOString(),
    refused_at: budget.refused_at?.toISOString() ?? null,
    asked_at: budget.asked_at?.toISOString() ?? null,
  }
}

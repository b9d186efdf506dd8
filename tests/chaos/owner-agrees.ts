import { kindOf } from '../../schema/ledger/accounts.ts'
import { type Books, readBooks } from '../../schema/ledger/post/books.ts'
import { type Belongings, belongings, type Life, monthBegunAt, type Usage } from '../simulation/model.ts'
import { toldBelongings } from '../simulation/owner.ts'
import { whatHappened } from '../simulation/what-happened.ts'
import type { Customer, Report, Reservation, World } from './customer.ts'
import type { System } from './system.ts'
import { untilDone } from './until-done.ts'

/** Compares the product's answers to a customer with the model. */
export async function ownerDiffers(world: World, customer: Customer): Promise<string[]> {
  const { system } = world
  const problem = (text: string) => `${customer.organization_id ?? customer.person.user_id}: ${text}`
  const told = await toldBelongings(
    { clerk: system.clerk, server: world.client, database: { owner: system.database } },
    customer,
  )
  const seats = await seatsAtClerk(system, customer)
  customer.colleagues.splice(0, customer.colleagues.length, ...seats.colleagues)
  customer.usages.length = 0
  const life = await untilDone(() => whatHappened(system, customer))
  const now = (await system.now()).getTime() / 1000
  const used = await usagesInBooks(system, customer, { life, now })
  const lived: Life = { ...life, usages: used.usages }
  const expected = belongings(lived, now)
  const problems = used.unexplained.map(problem)
  for (const what of ['plan', 'purchased', 'plan_type', 'seats_total', 'seats_used', 'settled'] as const) {
    const [want, found] = [JSON.stringify(expected[what]), JSON.stringify(told[what])]
    if (want !== found && !(what === 'seats_used' && isWithoutBuyersSeat(expected, told)))
      problems.push(problem(`${what}: expected ${want}, found ${found}; ${JSON.stringify(lived)}`))
  }
  const pending = await countPendingSeats(system, customer)
  if (pending !== seats.invited)
    problems.push(problem(`${seats.invited} are invited at Clerk, and ${pending} seats are reserved`))
  return problems
}

/**
 * A plan that ended before the product heard of it may have given no seat; without a plan it does not matter.
 */
function isWithoutBuyersSeat(expected: Belongings, told: Belongings): boolean {
  return expected.seats_total === 0 && told.seats_used === expected.seats_used - 1
}

/**
 * The month of a usage depends on when its payment became known, so only its total is compared with the
 * model.
 */
async function usagesInBooks(
  { database }: System,
  customer: Customer,
  { life, now }: { readonly life: Life; readonly now: number },
): Promise<{ usages: Usage[]; unexplained: string[] }> {
  const owner_id = accountsOf(customer)
  const books = await database.transaction().execute((trx) => readBooks(trx, owner_id))
  const usages: Usage[] = []
  const unexplained: string[] = []
  for (const { stripe_subscription_id, starts_at, used } of monthsUsed(books)) {
    if (used === 0) continue
    const month = monthBegunAt(life, starts_at.getTime() / 1000, now)
    if (month) usages.push({ at: null, month: month.name, plan: used, purchased: 0 })
    else unexplained.push(`no month of ${stripe_subscription_id} began at ${starts_at.toISOString()}`)
  }
  const isOfOwner = ({ payer }: Report | Reservation) =>
    (payer === 'personal') === (kindOf(owner_id) === 'user')
  const reported = customer.reports.filter((report) => report.outcome === 'charged' && isOfOwner(report))
  const settled = customer.reservations.filter(isOfOwner)
  const total = [
    ...reported.map(({ credits }) => credits),
    ...settled.map(({ charged }) => charged ?? 0),
  ].reduce((sum, credits) => sum + credits, 0)
  const ofPlan = usages.reduce((sum, { plan }) => sum + plan, 0)
  usages.push({ at: null, month: null, plan: 0, purchased: total - ofPlan })
  return { usages, unexplained }
}

function monthsUsed({ grants, closed_months, used_open }: Books) {
  const isClosed = (starts_at: Date | null) =>
    closed_months.some((month) => month.starts_at.getTime() === starts_at?.getTime())
  const open = grants.findLast(({ kind, month_starts_at }) => kind === 'month' && !isClosed(month_starts_at))
  const { stripe_subscription_id, month_starts_at } = open ?? {}
  return stripe_subscription_id && month_starts_at
    ? [...closed_months, { stripe_subscription_id, starts_at: month_starts_at, used: used_open }]
    : closed_months
}

function accountsOf({ kind, person, organization_id }: Customer): string {
  return kind === 'team' && organization_id ? organization_id : person.user_id
}

/** The other members of the team, and the number of open invitations. */
async function seatsAtClerk(
  { clerk }: System,
  { organization_id, person }: Customer,
): Promise<{ colleagues: string[]; invited: number }> {
  if (!organization_id) return { colleagues: [], invited: 0 }
  const organizationId = organization_id
  return untilDone(async () => {
    const members = await clerk.client.organizations.getOrganizationMembershipList({
      organizationId,
      limit: 100,
    })
    const invitations = await clerk.client.organizations.getOrganizationInvitationList({
      organizationId,
      status: ['pending'],
      limit: 100,
    })
    const ids = members.data.flatMap(({ publicUserData }) => publicUserData?.userId ?? [])
    return { colleagues: ids.filter((id) => id !== person.user_id), invited: invitations.totalCount }
  })
}

async function countPendingSeats({ database }: System, { organization_id }: Customer): Promise<number> {
  if (!organization_id) return 0
  const { count } = await database
    .selectFrom('seats')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('organization_id', '=', organization_id)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow()
  return Number(count)
}

import { sql } from 'kysely'
import type { StatementDay } from '../../api/reconciliation.ts'
import { type Database, inSnapshot, type ReadDatabase } from '../../database/connect.ts'

type Money = NonNullable<StatementDay['money']>[number]
type Balance = NonNullable<StatementDay['balance']>[number]
type Credits = StatementDay['credits']
type Unexplained = StatementDay['unexplained'][number]

type Content = Omit<StatementDay, 'date' | 'state'>

interface DayRow {
  readonly date: string
  readonly statement: Content | null
  readonly last_transfer_id: number | null
}

/** Maximum number of days that one run closes. */
const daysPerClosing = 40
const maximumUnexplained = 100
const dayMs = 24 * 3600 * 1000

/**
 * The statement of consecutive days (UTC, both inclusive). Closed days are one row each; only open days cost
 * more.
 */
export async function readStatement(
  db: ReadDatabase,
  { first, last }: { readonly first: string; readonly last: string },
): Promise<StatementDay[]> {
  return inSnapshot(db, async (trx) => {
    const { rows } = await sql<DayRow>`
      SELECT date::text AS date, statement, last_transfer_id FROM statement_days
      WHERE date BETWEEN ${first}::date AND ${last}::date AND livemode = stripe_livemode()`.execute(trx)
    const known = new Map(rows.map((row) => [row.date, row]))
    const closed = await findLastClosed(trx)
    const days: StatementDay[] = []
    for (const date of datesBetween(first, last)) {
      const row = known.get(date)
      if (row?.statement) days.push({ date, state: 'closed', ...row.statement })
      else
        days.push({
          date,
          state: 'open',
          ...(await computeDay(trx, { date, closed, isRead: row !== undefined })),
        })
    }
    return days
  })
}

/**
 * Closes days that were read and lie before the day of `proven_until`, in their order: their statement never
 * changes again. What occurred on one of them and is posted afterwards counts for the first day that is still
 * open.
 */
export async function closeStatementDays(
  db: Database,
  { proven_until, now }: { readonly proven_until: Date; readonly now: Date },
): Promise<number> {
  const { rows } = await sql<{ date: string }>`
    SELECT date::text AS date FROM statement_days
    WHERE closed_at IS NULL AND livemode = stripe_livemode() AND date < ${proven_until.toISOString().slice(0, 10)}::date
    ORDER BY date LIMIT ${daysPerClosing}`.execute(db)
  for (const { date } of rows) {
    const { content, last_transfer_id } = await inSnapshot(db, async (trx) => ({
      content: await computeDay(trx, { date, closed: await findLastClosed(trx), isRead: true }),
      last_transfer_id: await findLastTransfer(trx),
    }))
    await sql`
      UPDATE statement_days SET closed_at = ${now}, statement = ${JSON.stringify(content)}, last_transfer_id = ${last_transfer_id}
      WHERE date = ${date}::date AND livemode = stripe_livemode() AND closed_at IS NULL`.execute(db)
  }
  return rows.length
}

interface LastClosed {
  readonly date: string
  readonly last_transfer_id: number
}

async function findLastClosed(db: ReadDatabase): Promise<LastClosed | undefined> {
  const { rows } = await sql<LastClosed>`
    SELECT date::text AS date, last_transfer_id FROM statement_days
    WHERE closed_at IS NOT NULL AND livemode = stripe_livemode() ORDER BY date DESC LIMIT 1`.execute(db)
  return rows[0]
}

async function findLastTransfer(db: ReadDatabase): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM ledger_transfers ORDER BY id DESC LIMIT 1`.execute(db)
  return rows[0]?.id ?? 0
}

async function computeDay(
  db: ReadDatabase,
  { date, closed, isRead }: { date: string; closed: LastClosed | undefined; isRead: boolean },
): Promise<Content> {
  const transfers = transfersOf(date, closed)
  const credits = await sumCredits(db, date, transfers)
  if (!isRead) return { money: null, balance: null, credits, agrees: null, unexplained: [] }
  const [money, balance, unexplained] = [
    await sumMoney(db, date, transfers),
    await sumBalance(db, date),
    await listUnexplained(db, date, transfers),
  ]
  const agrees =
    credits.difference === 0 && money.every((one) => one.difference_minor === 0) && unexplained.length === 0
  return { money, balance, credits, agrees, unexplained }
}

const startOf = (date: string) => new Date(`${date}T00:00:00Z`)
const endOf = (date: string) => new Date(Date.parse(`${date}T00:00:00Z`) + dayMs)

/** The day's transfers; on the first open day also those that came too late for a closed day. */
function transfersOf(date: string, closed: LastClosed | undefined) {
  const own = sql`SELECT id, owner_id, kind, intent_id FROM ledger_transfers
    WHERE occurred_at >= ${startOf(date)} AND occurred_at < ${endOf(date)}`
  if (closed?.date !== previousDay(date)) return own
  return sql`${own} UNION ALL SELECT id, owner_id, kind, intent_id FROM ledger_transfers
    WHERE id > ${closed.last_transfer_id} AND occurred_at < ${startOf(date)}`
}

async function sumCredits(
  db: ReadDatabase,
  date: string,
  transfers: ReturnType<typeof transfersOf>,
): Promise<Credits> {
  const { rows } = await sql<{ kind: string; name: string; amount: number; transfers: number }>`
    WITH t AS MATERIALIZED (${transfers})
    SELECT CASE a.owner_id WHEN 'house' THEN 'house' ELSE 'owner' END AS kind, a.name,
      sum(e.amount)::bigint AS amount, (SELECT count(*) FROM t) AS transfers
    FROM t
    JOIN ledger_accounts a ON a.owner_id = t.owner_id OR a.owner_id = 'house'
    JOIN ledger_entries e ON e.owner_id = t.owner_id AND e.account_id = a.id AND e.transfer_id = t.id
    GROUP BY 1, 2`.execute(db)
  const sum = (kind: string, name: string) =>
    rows.find((row) => row.kind === kind && row.name === name)?.amount ?? 0
  const house = (name: string) => sum('house', name)
  return {
    // A house account has the other side of each entry.
    sold: 0 - house('sold'),
    granted: 0 - house('granted'),
    used: house('used'),
    expired: house('expired'),
    refunded: house('refunded'),
    disputed: house('disputed'),
    written_off: 0 - house('written_off'),
    adjusted: 0 - house('adjusted'),
    change_plan: sum('owner', 'plan'),
    change_purchased: sum('owner', 'purchased'),
    uncollected: await sumUncollected(db, date),
    difference: 0 - rows.reduce((total, row) => total + row.amount, 0),
    transfers: rows[0]?.transfers ?? 0,
  }
}

/** A hold is settled while its editor waits, so none is added to a day that has been over for an hour. */
async function sumUncollected(db: ReadDatabase, date: string): Promise<number> {
  const { rows } = await sql<{ credits: number }>`
    SELECT coalesce(sum(settled_credits - charged), 0)::bigint AS credits FROM ledger_holds
    WHERE resolved_at >= ${startOf(date)} AND resolved_at < ${endOf(date)} AND charged < settled_credits`.execute(
    db,
  )
  return rows[0]?.credits ?? 0
}

const isPayment = sql`category NOT IN ('refund', 'refund_failure', 'dispute', 'dispute_reversal')`
const isOurs = sql`(intent_id IS NOT NULL OR stripe_invoice_id IS NOT NULL)`

function balanceTransactionsOf(date: string) {
  return sql`SELECT * FROM balance_transactions
    WHERE created_at >= ${startOf(date)} AND created_at < ${endOf(date)} AND livemode = stripe_livemode()`
}

/** What our facts of the day say that was paid: `name` is `intent/…` or `invoice/…`. */
function factsOf(date: string, transfers: ReturnType<typeof transfersOf>) {
  return sql`
    SELECT 'intent/' || i.id AS name, i.currency, sum(CASE t.kind WHEN 'withdrawal' THEN -1 ELSE 1 END * i.amount_minor)::bigint AS minor
    FROM (${transfers}) t JOIN checkout_intents i ON i.owner_id = t.owner_id AND i.id = t.intent_id
    WHERE t.kind IN ('credit_purchase', 'withdrawal') AND i.livemode = stripe_livemode() GROUP BY i.id
    UNION ALL
    SELECT 'invoice/' || line.stripe_invoice_id, max(s.currency), max(line.amount_paid_minor)
    FROM paid_invoice_lines line JOIN subscriptions s USING (owner_id, stripe_subscription_id)
    WHERE line.paid_at >= ${startOf(date)} AND line.paid_at < ${endOf(date)} AND s.livemode = stripe_livemode()
    GROUP BY line.stripe_invoice_id`
}

async function sumMoney(
  db: ReadDatabase,
  date: string,
  transfers: ReturnType<typeof transfersOf>,
): Promise<Money[]> {
  const { rows } = await sql<Money>`
    WITH b AS (${balanceTransactionsOf(date)}), fact AS (${factsOf(date, transfers)}),
    money AS (
      SELECT paid_currency AS currency, count(*) FILTER (WHERE ${isPayment}) AS payments,
        coalesce(sum(paid_minor) FILTER (WHERE ${isPayment}), 0)::bigint AS gross_minor,
        coalesce(-sum(paid_minor) FILTER (WHERE category IN ('refund', 'refund_failure')), 0)::bigint AS refunded_minor,
        coalesce(-sum(paid_minor) FILTER (WHERE category IN ('dispute', 'dispute_reversal')), 0)::bigint AS disputed_minor,
        coalesce(sum(paid_minor) FILTER (WHERE ${isPayment} AND NOT ${isOurs}), 0)::bigint AS foreign_minor
      FROM b WHERE paid_currency IS NOT NULL GROUP BY paid_currency),
    facts AS (
      SELECT currency, coalesce(sum(minor) FILTER (WHERE name LIKE 'intent/%'), 0)::bigint AS credits_sold_minor,
        coalesce(sum(minor) FILTER (WHERE name LIKE 'invoice/%'), 0)::bigint AS plans_paid_minor
      FROM fact GROUP BY currency)
    SELECT currency, coalesce(payments, 0) AS payments, coalesce(gross_minor, 0) AS gross_minor,
      coalesce(refunded_minor, 0) AS refunded_minor, coalesce(disputed_minor, 0) AS disputed_minor,
      coalesce(gross_minor, 0) - coalesce(refunded_minor, 0) - coalesce(disputed_minor, 0) AS net_minor,
      coalesce(foreign_minor, 0) AS foreign_minor,
      coalesce(credits_sold_minor, 0) AS credits_sold_minor, coalesce(plans_paid_minor, 0) AS plans_paid_minor,
      coalesce(gross_minor, 0) - coalesce(foreign_minor, 0) - coalesce(credits_sold_minor, 0) - coalesce(plans_paid_minor, 0)
        AS difference_minor
    FROM money FULL JOIN facts USING (currency) ORDER BY currency`.execute(db)
  return rows
}

async function sumBalance(db: ReadDatabase, date: string): Promise<Balance[]> {
  const { rows } = await sql<Balance>`
    SELECT currency, sum(amount_minor)::bigint AS gross_minor, sum(fee_minor)::bigint AS fees_minor, sum(net_minor)::bigint AS net_minor
    FROM (${balanceTransactionsOf(date)}) b WHERE paid_minor IS NOT NULL OR category = 'fee'
    GROUP BY currency ORDER BY currency`.execute(db)
  return rows
}

/** Payments and facts that are not on the same day, or not of the same amount. */
async function listUnexplained(
  db: ReadDatabase,
  date: string,
  transfers: ReturnType<typeof transfersOf>,
): Promise<Unexplained[]> {
  const { rows } = await sql<{
    name: string
    currency: string
    paid: number | null
    fact: number | null
    fact_on: string | null
    paid_on: string | null
  }>`
    WITH payment AS (
      SELECT coalesce('intent/' || intent_id, 'invoice/' || stripe_invoice_id) AS name, paid_currency AS currency,
        sum(paid_minor)::bigint AS minor
      FROM (${balanceTransactionsOf(date)}) b WHERE ${isPayment} AND ${isOurs} GROUP BY 1, 2),
    fact AS (${factsOf(date, transfers)}),
    different AS (
      SELECT name, currency, payment.minor AS paid, fact.minor AS fact
      FROM payment FULL JOIN fact USING (name, currency)
      WHERE coalesce(payment.minor, 0) <> coalesce(fact.minor, 0)
      ORDER BY name LIMIT ${maximumUnexplained})
    SELECT d.*,
      CASE WHEN d.fact IS NULL AND d.name LIKE 'intent/%' THEN (
        SELECT (t.occurred_at AT TIME ZONE 'UTC')::date::text
        FROM ledger_grants g JOIN ledger_transfers t ON t.owner_id = g.owner_id AND t.grant_id = g.id
        WHERE g.id = 'purchase/' || split_part(d.name, '/', 2) AND t.kind = 'credit_purchase' ORDER BY t.id LIMIT 1)
      WHEN d.fact IS NULL THEN (
        SELECT (line.paid_at AT TIME ZONE 'UTC')::date::text FROM paid_invoice_lines line
        WHERE line.stripe_invoice_id = split_part(d.name, '/', 2) LIMIT 1) END AS fact_on,
      CASE WHEN d.paid IS NULL AND d.name LIKE 'intent/%' THEN (
        SELECT (b.created_at AT TIME ZONE 'UTC')::date::text FROM balance_transactions b
        WHERE b.intent_id = split_part(d.name, '/', 2)::uuid ORDER BY b.created_at LIMIT 1)
      WHEN d.paid IS NULL THEN (
        SELECT (b.created_at AT TIME ZONE 'UTC')::date::text FROM balance_transactions b
        WHERE b.stripe_invoice_id = split_part(d.name, '/', 2) ORDER BY b.created_at LIMIT 1) END AS paid_on
    FROM different d ORDER BY name`.execute(db)
  return rows.map(({ name, currency, paid, fact, fact_on, paid_on }) => ({
    object_id: name.slice(name.indexOf('/') + 1),
    amount_minor: (paid ?? 0) - (fact ?? 0),
    currency,
    missing: fact === null ? 'record' : paid === null ? 'payment' : 'none',
    other_day: fact_on ?? paid_on,
  }))
}

function previousDay(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) - dayMs).toISOString().slice(0, 10)
}

function datesBetween(first: string, last: string): string[] {
  const dates: string[] = []
  for (let at = startOf(first).getTime(); at <= startOf(last).getTime(); at += dayMs) {
    dates.push(new Date(at).toISOString().slice(0, 10))
  }
  return dates
}

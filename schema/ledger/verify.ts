import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/types.ts'

/** One broken promise of the books. `subject` says where: a transfer, an account, an intent or an event. */
export interface LedgerProblem {
  readonly check: string
  readonly subject: string
}

export interface LedgerReport {
  readonly counts: {
    readonly accounts: number
    readonly transfers: number
    readonly entries: number
    readonly settled_intents: number
  }
  readonly problems: readonly LedgerProblem[]
}

/** Each query returns the subjects that break the rule it is named after; clean books return nothing. */
const checks: Readonly<Record<string, ReturnType<typeof sql<{ subject: string }>>>> = {
  'entries of a transfer sum to zero': sql`
    SELECT format('transfer %s', t.idempotency_key) AS subject
    FROM ledger_transfers t LEFT JOIN ledger_entries e ON e.transfer_id = t.id
    GROUP BY t.id HAVING coalesce(sum(e.amount), 1) <> 0`,
  'every entry has its account': sql`
    SELECT format('transfer %s, account %s', e.transfer_id, e.account_id) AS subject
    FROM ledger_entries e LEFT JOIN ledger_accounts a ON a.id = e.account_id WHERE a.id IS NULL`,
  'versions of an account run 1, 2, 3 without gaps': sql`
    SELECT format('account %s', account_id) AS subject FROM ledger_entries WHERE version IS NOT NULL
    GROUP BY account_id HAVING min(version) <> 1 OR max(version) <> count(*)`,
  'owners’ entries have a version, house entries have none': sql`
    SELECT format('transfer %s, account %s', e.transfer_id, e.account_id) AS subject
    FROM ledger_entries e JOIN ledger_accounts a ON a.id = e.account_id
    WHERE (a.owner_kind = 'house') <> (e.version IS NULL)`,
  'every balance is the sum up to there': sql`
    SELECT format('account %s, version %s', account_id, version) AS subject FROM (
      SELECT account_id, version, balance_after, sum(amount) OVER (PARTITION BY account_id ORDER BY version) AS running
      FROM ledger_entries WHERE version IS NOT NULL) entries
    WHERE running <> balance_after`,
  'no account is below zero but by a clawback': sql`
    SELECT format('transfer %s', t.idempotency_key) AS subject
    FROM ledger_entries e JOIN ledger_transfers t ON t.id = e.transfer_id
    WHERE e.amount < 0 AND e.balance_after < 0 AND t.kind NOT IN ('refund', 'dispute', 'adjustment')`,
  'hashes of owners’ entries are chained': sql`
    SELECT format('account %s, version %s', account_id, version) AS subject FROM (
      SELECT e.*, lag(e.hash) OVER (PARTITION BY e.account_id ORDER BY e.version) AS previous, ledger_transfer_digest(t) AS digest
      FROM ledger_entries e JOIN ledger_transfers t ON t.id = e.transfer_id WHERE e.version IS NOT NULL) entries
    WHERE hash <> ledger_entry_hash(previous, digest, account_id, amount, version, balance_after)`,
  'hashes of house entries hang on their transfer': sql`
    SELECT format('transfer %s, account %s', e.transfer_id, e.account_id) AS subject
    FROM ledger_entries e JOIN ledger_transfers t ON t.id = e.transfer_id
    LEFT JOIN LATERAL (
      SELECT o.hash FROM ledger_entries o WHERE o.transfer_id = e.transfer_id AND o.version IS NOT NULL
      ORDER BY o.account_id DESC LIMIT 1) owner_entry ON true
    WHERE e.version IS NULL
      AND e.hash <> ledger_entry_hash(owner_entry.hash, ledger_transfer_digest(t), e.account_id, e.amount, NULL, NULL)`,
  'every settled intent has its one transfer, with the credits that were promised': sql`
    SELECT format('intent %s', i.id) AS subject FROM checkout_intents i
    WHERE i.state = 'settled' AND i.kind = 'credit_purchase' AND 1 <> (
      SELECT count(*) FROM ledger_transfers t
      JOIN ledger_entries e ON e.transfer_id = t.id AND e.amount = i.credits
      JOIN ledger_accounts a ON a.id = e.account_id AND a.owner_kind = i.owner_kind AND a.owner_id = i.owner_id
      WHERE t.intent_id = i.id AND t.kind = 'credit_purchase' AND t.idempotency_key = 'checkout/' || i.stripe_session_id)`,
  'every purchase has its settled intent': sql`
    SELECT format('transfer %s', t.idempotency_key) AS subject FROM ledger_transfers t
    LEFT JOIN checkout_intents i ON i.id = t.intent_id
    WHERE t.kind = 'credit_purchase' AND i.state IS DISTINCT FROM 'settled'`,
  'every settled intent of a plan has its subscription': sql`
    SELECT format('intent %s', i.id) AS subject FROM checkout_intents i
    LEFT JOIN subscriptions s ON s.intent_id = i.id
    WHERE i.kind = 'subscription' AND (i.state = 'settled') <> (s.intent_id IS NOT NULL)`,
  'every billing month has its grants': sql`
    SELECT format('subscription %s, month %s', m.stripe_subscription_id, m.starts_at) AS subject
    FROM subscription_months m JOIN subscriptions s USING (stripe_subscription_id)
    WHERE m.credits + m.seat_credits <> coalesce((
      SELECT sum(e.amount) FROM ledger_transfers t JOIN ledger_entries e ON e.transfer_id = t.id
      JOIN ledger_accounts a ON a.id = e.account_id AND a.owner_kind = s.owner_kind AND a.owner_id = s.owner_id AND a.name = 'plan'
      WHERE t.kind IN ('plan_grant', 'seat_grant') AND t.idempotency_key ~
        format('^(plan|seats)/%s/%s(/|$)', m.stripe_subscription_id, extract(epoch FROM m.starts_at)::bigint)), 0)`,
  'nothing is taken back beyond what was granted': sql`
    SELECT format('charge %s', c.stripe_charge_id) AS subject FROM clawbacks c
    WHERE c.credits_taken <> -coalesce((
      SELECT sum(e.amount) FROM ledger_transfers t JOIN ledger_entries e ON e.transfer_id = t.id
      JOIN ledger_accounts a ON a.id = e.account_id AND a.owner_kind = c.owner_kind AND a.owner_id = c.owner_id AND a.name = c.account
      WHERE t.kind IN ('refund', 'dispute', 'dispute_won')
        AND split_part(t.idempotency_key, '/', 2) = c.stripe_charge_id), 0)`,
}

/**
 * Proves the books: reads everything, in one snapshot, and returns what is wrong. Needs the tables' owner, because the
 * hash functions are not for the processes. Cost grows with the ledger; it is a tool for people and tests.
 */
export async function verifyLedger(db: Kysely<DB>): Promise<LedgerReport> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      const problems: LedgerProblem[] = []
      for (const [check, query] of Object.entries(checks)) {
        const { rows } = await query.execute(trx)
        problems.push(...rows.map((row) => ({ check, subject: row.subject })))
      }
      const counts = await trx
        .selectNoFrom((eb) => [
          eb.selectFrom('ledger_accounts').select(eb.fn.countAll<number>().as('n')).as('accounts'),
          eb.selectFrom('ledger_transfers').select(eb.fn.countAll<number>().as('n')).as('transfers'),
          eb.selectFrom('ledger_entries').select(eb.fn.countAll<number>().as('n')).as('entries'),
          eb
            .selectFrom('checkout_intents')
            .where('state', '=', 'settled')
            .select(eb.fn.countAll<number>().as('n'))
            .as('settled_intents'),
        ])
        .executeTakeFirstOrThrow()
      return {
        counts: {
          accounts: Number(counts.accounts),
          transfers: Number(counts.transfers),
          entries: Number(counts.entries),
          settled_intents: Number(counts.settled_intents),
        },
        problems,
      }
    })
}

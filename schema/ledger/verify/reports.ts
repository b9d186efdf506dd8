import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { Range } from './reader.ts'

type Problem = (check: string, subject: string) => void

interface ReportRow {
  readonly owner_id: string
  readonly transfer_id: number
  readonly ordinal: number
  readonly credits: number
  readonly idempotency_key: string
  readonly actor: string
  readonly reason: string
  readonly occurred_at_us: number
  readonly reported_at_us: number
  readonly is_kept: boolean
}

interface SumRow {
  readonly owner_id: string
  readonly transfer_id: number
  /** Whole credits, above zero. */
  readonly credits: number
  /** Null while the sum is open: then its owner's row says how many reports it has. */
  readonly input_hash: string | null
  readonly reports: number | null
}

/** Sums in one batch. Each has some thousand reports at most. */
const batchSize = 200

/**
 * Checks usage that is summed, posted after a transfer or not posted yet: every sum is that of its reports, the transfer's hash covers each of
 * them, each has its key, and none is without its sum. Hashes of sums are computed by separate code. Returns how many reports up to the end of the
 * range have their key.
 */
export async function checkReports(
  trx: DatabaseTransaction,
  { after, upTo }: Range,
  problem: Problem,
): Promise<number> {
  let kept = 0
  for (let last = { transfer_id: after + 1, owner_id: '' }; ; ) {
    const sums = await readSums(trx, last)
    const reports = Map.groupBy(
      await readReports(trx, sums),
      ({ owner_id, transfer_id }) => `${owner_id} ${transfer_id}`,
    )
    for (const sum of sums) {
      const own = reports.get(`${sum.owner_id} ${sum.transfer_id}`) ?? []
      checkSum(sum, own, problem)
      if (sum.transfer_id <= upTo) kept += own.filter(({ is_kept }) => is_kept).length
    }
    const end = sums.at(-1)
    if (!end || sums.length < batchSize) break
    last = end
  }
  const { rows } = await sql<{ owner_id: string; transfer_id: number }>`
    SELECT DISTINCT report.owner_id, report.transfer_id FROM ledger_reports report
    WHERE report.transfer_id > ${after}
      AND NOT EXISTS (SELECT FROM ledger_owners owner
        WHERE owner.owner_id = report.owner_id AND owner.unposted_transfer_id = report.transfer_id)
      AND NOT EXISTS (SELECT FROM ledger_transfers transfer
        WHERE transfer.id = report.transfer_id AND transfer.owner_id = report.owner_id
          AND starts_with(transfer.idempotency_key, 'usage_sums/'))
    ORDER BY 1, 2`.execute(trx)
  for (const { transfer_id } of rows)
    problem('every report of usage is part of a sum', `transfer ${transfer_id}`)
  return kept
}

/** The next sums, posted or open, in the order of their ids. */
async function readSums(
  trx: DatabaseTransaction,
  last: { readonly transfer_id: number; readonly owner_id: string },
): Promise<SumRow[]> {
  const { rows } = await sql<SumRow>`
    SELECT * FROM (
      (SELECT transfer.owner_id, transfer.id AS transfer_id, entry.amount AS credits, encode(transfer.input_hash, 'hex') AS input_hash,
        NULL::integer AS reports
      FROM ledger_transfers transfer
      JOIN ledger_accounts used ON used.owner_id = 'house' AND used.name = 'used'
      JOIN ledger_entries entry ON entry.owner_id = transfer.owner_id AND entry.account_id = used.id AND entry.transfer_id = transfer.id
      WHERE starts_with(transfer.idempotency_key, 'usage_sums/')
        AND (transfer.id, transfer.owner_id) > (${last.transfer_id}, ${last.owner_id})
      ORDER BY transfer.id, transfer.owner_id LIMIT ${sql.lit(batchSize)})
      UNION ALL
      (SELECT owner_id, unposted_transfer_id, unposted_credits, NULL, unposted_reports FROM ledger_owners
      WHERE unposted_since IS NOT NULL AND (unposted_transfer_id, owner_id) > (${last.transfer_id}, ${last.owner_id})
      ORDER BY 2, 1 LIMIT ${sql.lit(batchSize)})) sum
    ORDER BY transfer_id, owner_id LIMIT ${sql.lit(batchSize)}`.execute(trx)
  return rows
}

async function readReports(trx: DatabaseTransaction, sums: readonly SumRow[]): Promise<ReportRow[]> {
  const { rows } = await sql<ReportRow>`
    SELECT report.owner_id, report.transfer_id, report.ordinal, report.credits, report.idempotency_key, report.actor, report.reason,
      (extract(epoch FROM report.occurred_at) * 1000000)::bigint AS occurred_at_us,
      (extract(epoch FROM report.reported_at) * 1000000)::bigint AS reported_at_us,
      coalesce(key.transfer_id = report.transfer_id AND key.format = 2 AND key.input_hash =
        ledger_usage_hash(owner.owner_kind, report.owner_id, report.credits), false) AS is_kept
    FROM unnest(${sums.map(({ owner_id }) => owner_id)}::text[], ${sums.map(({ transfer_id }) => transfer_id)}::bigint[])
      AS sum (owner_id, transfer_id)
    JOIN ledger_owners owner ON owner.owner_id = sum.owner_id
    JOIN ledger_reports report ON report.owner_id = sum.owner_id AND report.transfer_id = sum.transfer_id
    LEFT JOIN ledger_keys key ON key.owner_id = report.owner_id AND key.idempotency_key = report.idempotency_key
    ORDER BY report.transfer_id, report.owner_id, report.ordinal`.execute(trx)
  return rows
}

function checkSum(sum: SumRow, reports: readonly ReportRow[], problem: Problem): void {
  const name = `transfer ${sum.transfer_id}`
  const isWhole =
    reports.length > 0 &&
    reports.every(({ ordinal }, index) => ordinal === index + 1) &&
    (sum.reports === null || sum.reports === reports.length)
  if (!isWhole) problem('reports of a sum run 1, 2, 3 without gaps', name)
  if (reports.reduce((total, { credits }) => total + credits, 0) !== sum.credits) {
    problem('every sum is that of its reports', name)
  }
  if (sum.input_hash !== null && sum.input_hash !== hash('sha256', reports.map(textOf).join(''), 'hex')) {
    problem('the hash of a sum covers its reports', name)
  }
  for (const { idempotency_key, is_kept } of reports) {
    if (!is_kept) problem('every report is kept under its key', `report ${idempotency_key}`)
  }
}

/** As Postgres prints a JSON array. */
function textOf(report: ReportRow): string {
  const { ordinal, idempotency_key, credits, occurred_at_us, reported_at_us, actor, reason } = report
  const fields = [ordinal, idempotency_key, credits, occurred_at_us, reported_at_us, actor, reason]
  return `[${fields.map((field) => JSON.stringify(field)).join(', ')}]\n`
}

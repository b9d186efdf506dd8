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

/** Transfers with reports, in one batch. Each has some thousand reports at most. */
const batchSize = 200

/** What was checked up to the end of the range. */
export interface CheckedReports {
  /** Reports that have their key. */
  readonly kept: number
  /** Sums that are posted and have reports. */
  readonly sums: number
}

/**
 * Checks usage that is summed, posted after a transfer or not posted yet: every sum is that of its reports, the transfer's hash covers each of
 * them, each has its key, and none is without its sum. Hashes of sums are computed by separate code. Goes by the reports; sums that have lost all
 * of theirs are counted by whoever reads the transfers.
 */
export async function checkReports(
  trx: DatabaseTransaction,
  { after, upTo }: Range,
  problem: Problem,
): Promise<CheckedReports> {
  let kept = 0
  let sums = 0
  for (let last = { owner_id: '', transfer_id: 0 }; ; ) {
    const found = await readSums(trx, { after, last })
    const whole = found.flatMap(({ credits, ...sum }) => (credits === null ? [] : [{ ...sum, credits }]))
    for (const { transfer_id } of found.filter(({ credits }) => credits === null)) {
      problem('every report of usage is part of a sum', `transfer ${transfer_id}`)
    }
    const reports = Map.groupBy(
      await readReports(trx, whole),
      ({ owner_id, transfer_id }) => `${owner_id} ${transfer_id}`,
    )
    for (const sum of whole) {
      const own = reports.get(`${sum.owner_id} ${sum.transfer_id}`) ?? []
      checkSum(sum, own, problem)
      if (sum.transfer_id > upTo) continue
      kept += own.filter(({ is_kept }) => is_kept).length
      if (sum.input_hash !== null) sums++
    }
    const end = found.at(-1)
    if (!end || found.length < batchSize) break
    last = end
  }
  const { rows } = await sql<SumRow>`
    SELECT owner_id, unposted_transfer_id AS transfer_id, unposted_credits AS credits, NULL AS input_hash, unposted_reports AS reports
    FROM ledger_owners owner
    WHERE unposted_since IS NOT NULL AND NOT EXISTS (
      SELECT FROM ledger_reports WHERE owner_id = owner.owner_id AND transfer_id = owner.unposted_transfer_id OFFSET 0)
    ORDER BY 2, 1`.execute(trx)
  for (const sum of rows) checkSum(sum, [], problem)
  return { kept, sums }
}

/** Names the posted sums of the range that have no report at all. Reads all its transfers, so only where their number says that there are some. */
export async function findSumsWithoutReports(
  trx: DatabaseTransaction,
  { after, upTo }: Range,
  problem: Problem,
): Promise<void> {
  const { rows } = await sql<SumRow>`
    SELECT transfer.owner_id, transfer.id AS transfer_id, entry.amount AS credits, encode(transfer.input_hash, 'hex') AS input_hash,
      NULL::integer AS reports
    FROM ledger_transfers transfer
    JOIN ledger_accounts used ON used.owner_id = 'house' AND used.name = 'used'
    JOIN ledger_entries entry ON entry.owner_id = transfer.owner_id AND entry.account_id = used.id AND entry.transfer_id = transfer.id
    WHERE starts_with(transfer.idempotency_key, 'usage_sums/') AND transfer.id > ${after} AND transfer.id <= ${upTo}
      AND NOT EXISTS (
        SELECT FROM ledger_reports WHERE owner_id = transfer.owner_id AND transfer_id = transfer.id OFFSET 0)
    ORDER BY transfer.id, transfer.owner_id`.execute(trx)
  for (const sum of rows) checkSum(sum, [], problem)
}

/** The next transfers that have reports, by owner, with what they should sum to: posted or open, or null where there is no such transfer. */
async function readSums(
  trx: DatabaseTransaction,
  { after, last }: { after: number; last: { readonly owner_id: string; readonly transfer_id: number } },
): Promise<(Omit<SumRow, 'credits'> & { readonly credits: number | null })[]> {
  const { rows } = await sql<Omit<SumRow, 'credits'> & { credits: number | null }>`
    SELECT reported.owner_id, reported.transfer_id, coalesce(posted.credits, open.unposted_credits) AS credits, posted.input_hash,
      open.unposted_reports AS reports
    FROM (
      SELECT DISTINCT owner_id, transfer_id FROM ledger_reports
      WHERE transfer_id > ${after} AND (owner_id, transfer_id) > (${last.owner_id}, ${last.transfer_id})
      ORDER BY owner_id, transfer_id LIMIT ${sql.lit(batchSize)}) reported
    LEFT JOIN LATERAL (
      SELECT entry.amount AS credits, encode(transfer.input_hash, 'hex') AS input_hash
      FROM ledger_transfers transfer
      JOIN ledger_accounts used ON used.owner_id = 'house' AND used.name = 'used'
      JOIN ledger_entries entry ON entry.owner_id = transfer.owner_id AND entry.account_id = used.id AND entry.transfer_id = transfer.id
      WHERE transfer.id = reported.transfer_id AND transfer.owner_id = reported.owner_id
        AND starts_with(transfer.idempotency_key, 'usage_sums/') OFFSET 0) posted ON true
    LEFT JOIN ledger_owners open ON open.owner_id = reported.owner_id AND open.unposted_transfer_id = reported.transfer_id
    ORDER BY reported.owner_id, reported.transfer_id`.execute(trx)
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

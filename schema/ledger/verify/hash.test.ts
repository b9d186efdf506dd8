import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { type TransferContent, transferDigest } from './hash.ts'

const database = testDatabase()

test('the digest of a transfer is that of the SQL function, whatever its texts and times are, and has no label', async () => {
  const texts = [`a"b\\c`, 'é\u{1f600}', 'tab\tline\n', '\u0001\u007f\u2028', null]
  const { rows } = await sql<TransferContent & { digest: string }>`
    WITH made AS (
      SELECT jsonb_populate_record(NULL::ledger_transfers, jsonb_build_object('id', 1, 'occurred_at', m,
        'posted_at', m + interval '1.000001 s', 'intent_id', nullif(gen_random_uuid()::text, t), 'owner_id', 'user_a',
        'idempotency_key', coalesce(t, 'key'), 'kind', 'refund', 'input_hash', sha256('x'), 'event_id', t, 'actor', coalesce(t, 'stripe'),
        'grant_id', t, 'reason_hash', sha256('y'), 'reason', t, 'token_id', gen_random_uuid(),
        'operator_key_id', CASE WHEN t IS NOT NULL THEN gen_random_uuid() END, 'model', t, 'project', t, 'run', t)) AS transfer
      FROM unnest(${texts}::text[]) AS t,
        unnest(ARRAY['1969-12-31 23:59:59.999999+00', '2026-11-20 12:00:00.000001+00', '2099-12-31 23:59:59.999999+00', now()]::timestamptz[]) AS m)
    SELECT t.idempotency_key, t.kind, t.grant_id, encode(t.input_hash, 'hex') AS input_hash, t.intent_id, t.event_id, t.actor, t.operator_key_id,
      encode(t.reason_hash, 'hex') AS reason_hash, (date_part('epoch', t.occurred_at) * 1e6)::bigint::text AS occurred_at_us,
      (date_part('epoch', t.posted_at) * 1e6)::bigint::text AS posted_at_us, encode(ledger_transfer_digest(made.transfer), 'hex') AS digest
    FROM made, LATERAL (SELECT (made.transfer).*) t`.execute(database.owner)
  expect(rows).toHaveLength(20)
  for (const { digest, ...content } of rows) expect(transferDigest(content)).toBe(digest)
})

import pg from 'pg'
import { jobOptionsOf, queueNames } from '../../../schema/inbox/queues/queues.ts'

/** Owners from the first to the last number; what belongs to owner 7 has a 7 in its id. */
export interface Owners {
  readonly first: number
  readonly last: number
}

const transfersEach = 10
const eventsEach = 10

/**
 * Fills a database with the rows of owners who play no part in the test: each a subscription and a purchase,
 * paid, ten transfers, a failure, a hold, ten events of the inbox, and a difference that support repaired;
 * every fifth is an organization with five seats. Set-based, with triggers off; hashes and payloads are
 * dummies. A few events, intents and invitations still wait, none of them is due. May be called again with
 * later owners.
 */
export async function fillOthers(url: string, owners: Owners): Promise<void> {
  const parts = [ledger, [...accounts, ...inbox, ...queue, ...teams, ...support]]
  await Promise.all(
    parts.map(async (statements) => {
      const client = new pg.Client({ connectionString: url, options: '-c session_replication_role=replica' })
      await client.connect()
      try {
        await client.query(`SET auto_explain.log_min_duration = -1; SET synchronous_commit = off;
          CREATE TEMPORARY VIEW i AS SELECT i, 'user_fill_' || i AS user_id,
            CASE WHEN i % 5 = 0 THEN 'org_fill_' || i ELSE 'user_fill_' || i END AS owner_id,
            CASE WHEN i % 5 = 0 THEN 'organization' ELSE 'user' END AS kind_of_owner,
            'sub_fill_' || i AS subscription_id, 'in_fill_' || i AS invoice_id,
            md5('plan' || i)::uuid AS plan_intent_id, md5('credits' || i)::uuid AS credits_intent_id,
            timestamptz '2026-08-01Z' + i * interval '1 second' AS began_at, timestamptz '2099-01-01Z' AS far_away
          FROM generate_series(${owners.first}, ${owners.last}) i`)
        for (const statement of statements) await client.query(statement)
      } finally {
        await client.end()
      }
    }),
  )
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('SET auto_explain.log_min_duration = -1')
    await client.query('VACUUM (ANALYZE)')
  } finally {
    await client.end()
  }
}

const accounts = [
  `INSERT INTO users (clerk_id, email, plan_type, profile_updated_at)
   SELECT user_id, user_id || '@tidemark.test', 'pro', began_at FROM i`,
  `INSERT INTO mails (kind, owner_id, user_id, occasion, figures, state)
   SELECT 'balance_low', owner_id, user_id, '2026-08-01', '{"left": 99}', 'sent' FROM i`,
  `INSERT INTO stripe_customers (owner_id, customer_id) SELECT owner_id, 'cus_fill_' || i FROM i`,
  `INSERT INTO checkout_intents (offer_id, quantity, id, kind, user_id, owner_id, credits, amount_minor, currency, plan_type,
     billing_frequency, seats, credits_per_seat, state, stripe_session_id, settled_at, created_at)
   SELECT (SELECT min(id) FROM offers WHERE plan_type = 'teams'), 5, plan_intent_id, 'subscription', user_id, owner_id, 2500, 15000, 'EUR',
     CASE WHEN starts_with(owner_id, 'user_') THEN 'pro' ELSE 'teams' END, 'monthly', 5, 500, 'settled', 'cs_plan_fill_' || i, began_at, began_at
   FROM i`,
  `INSERT INTO checkout_intents (offer_id, quantity, id, kind, user_id, owner_id, credits, amount_minor, currency, state,
     stripe_session_id, settled_at, created_at, next_try_at)
   SELECT (SELECT min(id) FROM offers WHERE plan_type IS NULL), 500, credits_intent_id, 'credit_purchase', user_id, owner_id, 500, 700, 'EUR',
     CASE WHEN i % 100 = 0 THEN 'open' ELSE 'settled' END, 'cs_credits_fill_' || i,
     CASE WHEN i % 100 = 0 THEN NULL ELSE began_at END, began_at, far_away FROM i`,
  `INSERT INTO subscriptions (stripe_subscription_id, intent_id, user_id, owner_id, plan_type, billing_frequency,
     currency, credits_per_seat, status, seats_total, current_period_start, current_period_end, ended_at, snapshot_order, next_try_at)
   SELECT subscription_id, plan_intent_id, user_id, owner_id, CASE WHEN starts_with(owner_id, 'user_') THEN 'pro' ELSE 'teams' END,
     'monthly', 'EUR', 500, CASE WHEN i % 10 = 1 THEN 'canceled' ELSE 'active' END, 5, began_at, began_at + interval '1 month',
     CASE WHEN i % 10 = 1 THEN began_at END, 1, far_away FROM i`,
  `INSERT INTO paid_invoice_lines (owner_id, stripe_invoice_id, stripe_subscription_id, kind, starts_at, ends_at, seats, amount_paid_minor,
     paid_at, total_minor, amount_minor)
   SELECT owner_id, invoice_id || '_' || month, subscription_id, 'period', began_at + month * interval '1 month',
     began_at + (month + 1) * interval '1 month', 5, 15000, began_at, 15000, 15000 FROM i, generate_series(0, 1) month`,
  `INSERT INTO charges (owner_id, stripe_charge_id, stripe_invoice_id, amount_minor, refunded_minor, disputed_minor, snapshot_order)
   SELECT owner_id, 'ch_plan_fill_' || i || '_' || month, invoice_id || '_' || month, 15000, 0, 0, 1 FROM i, generate_series(0, 1) month`,
  `INSERT INTO charges (owner_id, stripe_charge_id, intent_id, amount_minor, refunded_minor, disputed_minor, snapshot_order)
   SELECT owner_id, 'ch_credits_fill_' || i, credits_intent_id, 700, 0, 0, 1 FROM i`,
  `INSERT INTO extension_tokens (id, user_id, token_hash, created_at, expires_at)
   SELECT md5('token' || i)::uuid, user_id, sha256(('token' || i)::bytea), began_at, began_at + interval '119 days' FROM i`,
  `INSERT INTO extension_sign_ins (state_hash, redirect_uri, code_challenge, user_id, code_hash, created_at, expires_at, exchanged_at,
     token_id)
   SELECT sha256(('state' || i)::bytea), 'vscode://tidemark', repeat('c', 43), user_id, sha256(('code' || i)::bytea), began_at,
     began_at + interval '1 hour', began_at, md5('token' || i)::uuid FROM i`,
]

const teams = [
  `INSERT INTO organization_members (organization_id, user_id, role, snapshot_order)
   SELECT owner_id, 'user_fill_' || (i - member), CASE member WHEN 0 THEN 'admin' ELSE 'member' END, 1
   FROM i, generate_series(0, 4) member WHERE starts_with(owner_id, 'org_')`,
  `INSERT INTO team_invitations (id, organization_id, subscription_id, inviter_id, email, role, clerk_invitation_id, status,
     expires_at, next_try_at)
   SELECT md5('invitation' || i)::uuid, owner_id, subscription_id, user_id, 'invited_' || i || '@tidemark.test', 'member',
     'orginv_fill_' || i, CASE WHEN i % 100 = 0 THEN 'pending' ELSE 'accepted' END, far_away,
     CASE WHEN i % 100 = 0 THEN far_away END FROM i WHERE starts_with(owner_id, 'org_')`,
  `INSERT INTO seats (organization_id, email, user_id, role, status)
   SELECT owner_id, 'user_fill_' || (i - member) || '@tidemark.test', 'user_fill_' || (i - member),
     CASE member WHEN 0 THEN 'admin' ELSE 'member' END, 'active'
   FROM i, generate_series(0, 4) member WHERE starts_with(owner_id, 'org_')`,
]

/** Usage is spread over the owners as time would spread it: no owner's transfers are adjacent. */
const ledger = [
  `INSERT INTO ledger_accounts (owner_id, name)
   SELECT owner_id, name FROM i, unnest(ARRAY['plan', 'purchased']) name ORDER BY i, name`,
  `INSERT INTO ledger_grants (id, kind, owner_id, account, intent_id, stripe_subscription_id, stripe_invoice_id,
     month_starts_at, starts_at, ends_at)
   SELECT 'purchase/' || credits_intent_id, 'purchase', owner_id, 'purchased', credits_intent_id, NULL, NULL,
     NULL::timestamptz, NULL::timestamptz, NULL::timestamptz FROM i
   UNION ALL
   SELECT 'month/' || invoice_id || '_0/' || extract(epoch FROM began_at)::bigint, 'month', owner_id, 'plan',
     plan_intent_id, subscription_id, invoice_id || '_0', began_at, began_at, began_at + interval '1 month' FROM i`,
  `CREATE TEMPORARY TABLE numbered AS
   SELECT i, owner_id, number, row_number() OVER (ORDER BY number, i)
     + (SELECT coalesce(max(id), 0) FROM ledger_transfers) AS id
   FROM i, generate_series(1, ${transfersEach}) number`,
  `INSERT INTO ledger_transfers (id, owner_id, posted_at, idempotency_key, kind, input_hash, occurred_at, intent_id, actor, reason, reason_salt,
     reason_hash, grant_id)
   SELECT n.id, n.owner_id, now(), CASE WHEN n.number > 2 THEN 'usage/' || md5(n.owner_id || n.number)
     ELSE 'fill/' || n.number || '/' || n.owner_id END,
     CASE n.number WHEN 1 THEN 'credit_purchase' WHEN 2 THEN 'plan_grant' ELSE 'usage' END,
     sha256('filled'), i.began_at + n.number * interval '1 hour', CASE n.number WHEN 1 THEN i.credits_intent_id END, 'filler', 'Filled',
     substr(sha256('filled'), 1, 16), sha256('filled'), CASE n.number WHEN 1 THEN 'purchase/' || i.credits_intent_id
       WHEN 2 THEN 'month/' || i.invoice_id || '_0/' || extract(epoch FROM i.began_at)::bigint END
   FROM numbered n JOIN i USING (i) ORDER BY n.id`,
  `SELECT setval(pg_get_serial_sequence('ledger_transfers', 'id'), (SELECT max(id) FROM ledger_transfers))`,
  `INSERT INTO ledger_keys (owner_id, idempotency_key, transfer_id, input_hash)
   SELECT t.owner_id, t.idempotency_key, t.id, t.input_hash FROM numbered n JOIN ledger_transfers t USING (id) ORDER BY id`,
  `INSERT INTO ledger_entries (transfer_id, owner_id, account_id, amount, version, balance_after, hash)
   SELECT n.id, n.owner_id, a.id, CASE n.number WHEN 1 THEN 500 WHEN 2 THEN 2500 ELSE -1 END,
     CASE n.number WHEN 1 THEN 1 ELSE n.number - 1 END, CASE n.number WHEN 1 THEN 500 ELSE 2502 - n.number END, sha256('filled')
   FROM numbered n JOIN ledger_accounts a ON a.owner_id = n.owner_id
     AND a.name = CASE n.number WHEN 1 THEN 'purchased' ELSE 'plan' END
   ORDER BY n.id`,
  `INSERT INTO ledger_owners (owner_id, last_transfer_id, plan_account_id, plan_version, plan_balance, plan_hash,
     purchased_account_id, purchased_version, purchased_balance, purchased_hash)
   SELECT n.owner_id, n.id, plan.id, ${transfersEach - 1}, ${2502 - transfersEach}, sha256('filled'),
     purchased.id, 1, 500, sha256('filled')
   FROM numbered n JOIN ledger_accounts plan ON plan.owner_id = n.owner_id AND plan.name = 'plan'
   JOIN ledger_accounts purchased ON purchased.owner_id = n.owner_id AND purchased.name = 'purchased'
   WHERE n.number = ${transfersEach} ORDER BY n.id`,
  `INSERT INTO ledger_entries (transfer_id, owner_id, account_id, amount, hash)
   SELECT n.id, n.owner_id, house.id, CASE n.number WHEN 1 THEN -500 WHEN 2 THEN -2500 ELSE 1 END, sha256('filled')
   FROM numbered n JOIN ledger_accounts house ON house.owner_id = 'house'
     AND house.name = CASE n.number WHEN 1 THEN 'sold' WHEN 2 THEN 'granted' ELSE 'used' END
   ORDER BY n.id`,
  `INSERT INTO ledger_usage_days (owner_id, day, actor, token_id, model, project, requests, failed, credits, first_id)
   SELECT n.owner_id, (now() AT TIME ZONE 'UTC')::date - n.number, 'user_fill_' || n.i, md5('token' || n.i)::uuid,
     'model ' || n.number % 3, 'project', 1, 0, 1, n.id FROM numbered n WHERE n.number > 2`,
  `INSERT INTO ledger_failures (owner_id, id, idempotency_key, occurred_at, failure, actor, reason, model)
   SELECT owner_id, nextval('ledger_transfers_id_seq'), 'usage/failed', began_at, 'timeout', user_id, 'Filled', 'large' FROM i`,
  `INSERT INTO ledger_holds (owner_id, id, idempotency_key, actor, asked, credits, plan_credits, opened_at, expires_at, reason, state,
     resolved_at, settled_credits, charged)
   SELECT owner_id, md5('hold' || i)::uuid, 'usage/held', user_id, 75, 75, 75, began_at, far_away, 'Filled', state,
     CASE WHEN state <> 'open' THEN began_at END, CASE state WHEN 'settled' THEN 80 END, CASE state WHEN 'settled' THEN 75 END
   FROM i, LATERAL (SELECT CASE i % 10 WHEN 0 THEN 'open' WHEN 1 THEN 'settled' ELSE 'released' END AS state) s`,
  `INSERT INTO ledger_months_used (stripe_subscription_id, month_starts_at, owner_id, used)
   SELECT subscription_id, began_at, owner_id, ${transfersEach - 2} FROM i`,
]

const inbox = [
  `INSERT INTO inbox_events (source, id, type, subject, occurred_at, received_at, payload, state, reason, finished_at, next_try_at)
   SELECT CASE WHEN number % 5 = 0 THEN 'clerk' ELSE 'stripe' END, 'evt_fill_' || i || '_' || number, 'invoice.paid',
     CASE WHEN number % 5 = 0 THEN owner_id ELSE 'cus_fill_' || i END, began_at, began_at,
     jsonb_build_object('id', i, 'object', 'event', 'data', repeat('x', 100)), state,
     CASE state WHEN 'failed' THEN 'Filled' END, CASE state WHEN 'received' THEN NULL ELSE began_at END,
     -- In no order: where all are equal, Postgres believes that an index of them is read in the order of the table.
     far_away + ((i * 7919 + number * 104729) % 99991) * interval '1 second'
   FROM i, generate_series(1, ${eventsEach}) number,
     LATERAL (SELECT CASE (i * ${eventsEach} + number) % 1000 WHEN 0 THEN 'received' WHEN 1 THEN 'failed' ELSE 'applied' END AS state) s`,
]

/** As our API has to write them: a version of UUID that leaves the bits to us (RFC 9562, section 5.8). */
const uuidOf = (what: string) =>
  `overlay(overlay(md5('${what}' || i) PLACING '8' FROM 13) PLACING 'a' FROM 17)::uuid`

/** A done act for each owner, its two audit entries, and the finding that it repaired, now gone. */
const support = [
  `INSERT INTO support_acts (id, finding_id, kind, target_kind, target_id, owner_id, reason, is_dry_run, requested_by,
     requested_at, state, outcome, finished_at, next_try_at)
   SELECT ${uuidOf('act')}, ${uuidOf('finding')}::text, 'resync', kind_of_owner, owner_id, owner_id, 'Filled for a test', false,
     'user_support_' || i % 10, began_at, 'done', '{}', began_at, began_at FROM i`,
  `INSERT INTO audit_log (at, actor, act_id, what, outcome, target_kind, target_id, owner_id, reason)
   SELECT began_at, 'user_support_' || i % 10, ${uuidOf('act')}, 'resync', outcome, kind_of_owner, owner_id, owner_id,
     'Filled for a test' FROM i, unnest(ARRAY['requested', 'done']) outcome ORDER BY outcome DESC, i`,
  `INSERT INTO reconciliation_findings (id, kind, object_id, owner_id, data, first_seen_at,
     last_seen_at, gone_at)
   SELECT ${uuidOf('finding')}, 'refund_differs', 'ch_credits_fill_' || i, owner_id, '{}', began_at, began_at, began_at FROM i`,
]

const keepingNone = queueNames.filter((name) => jobOptionsOf(name).removeOnComplete === true)

/** A finished job for each owner over all queues; every other one failed. */
const queue = [
  `INSERT INTO bullmq.job (queue, id, seq, name, state, data, opts, added_at_ms, processed_at_ms, finished_at_ms)
   SELECT queue, 'fill_' || i, nextval('bullmq.job_seq'), queue,
     CASE WHEN queue = ANY (ARRAY[${keepingNone.map((name) => `'${name}'`)}]) OR (i / 6) % 2 = 0
       THEN 'failed' ELSE 'completed' END::bullmq.job_state,
     jsonb_build_object('event_id', i), '{"attempts": 1}', ms, ms, ms
   FROM i, LATERAL (SELECT (ARRAY[${queueNames.map((name) => `'${name}'`)}])[1 + i % ${queueNames.length}] AS queue,
     (extract(epoch FROM now()) * 1000)::bigint AS ms) j`,
]

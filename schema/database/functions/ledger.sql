-- The ledger's functions, in the order in which they use each other:
--   ledger_post          posts transfers of grants: purchases, billing months, refunds, disputes, expiries, adjustments. The worker's.
--   ledger_spend         spends credits, plan credits first, reserves and settles them, or refuses. The server's.
--   ledger_lock_owners   both begin with it, but for ledger_spend when it skips locked owners: locks their rows in the order of the ids
--   ledger_append        both call it for each transfer: inserts it with its key and its entries, and saves the owner's row
--   ledger_use           posts a usage through it and adds it to the sums of its day
--   ledger_settle, ledger_end_holds: how a hold is settled, and how it is released or expires
--   ledger_books, ledger_close_month, ledger_grant_sums: what the worker reads and writes to close a billing month
--   ledger_erase_texts   erases the free text of transfers that is about a person. The worker's.
--
-- For example (amounts of the entries, house account in parentheses):
--   purchase of 1,000     credit_purchase   purchased +1000   (sold -1000)
--   use of 30             usage             plan -30          (used +30); what plan credits do not cover comes from `purchased`
--   clawback of 400       refund            purchased -400    (refunded +400); the account may fall below zero
--   a month's end         expiry            plan -120         (expired +120); ledger_close_month writes down what was used
--   bought for the plan   usage_moved       plan -50, purchased +50: a month pays for usage that bought credits stood in for
-- An account below zero is a debt: it lowers what is available by as much, of both accounts together.
--
-- The row of an owner (ledger_owners), which is locked by all that spends or posts:
--   owner_id                             `user_…` or `org_…`, Clerk's id
--   plan_account_id, purchased_account_id  its two accounts. `plan`: included in the plan, ends with the month; `purchased`: bought
--   plan_balance, purchased_balance      the sum of the account's entries; below zero a debt
--   plan_version, purchased_version      how many entries it has
--   plan_hash, purchased_hash            the hash of its latest entry, to which the next one is chained
--   last_transfer_id                     the owner's latest transfer
--   held                                 credits of open holds
--   plan_held                            those of them that are reserved of the plan account, which other usage leaves alone
--   rest                                 thousandths of a credit, below 1,000, that were used and are not charged yet: a usage that
--                                        costs `cost` thousandths is charged the whole credits of `rest + cost`
--
-- A hold (ledger_holds) moves nothing. It reserves of each account what a usage would take of it at that moment, and is usage
-- of the month in which it was opened, whenever it is settled: the books end as if its credits had been used then.
--   id, owner_id                         a call names it by its id
--   idempotency_key, actor, token_id     the caller's key, the person that it is for, and their editor
--   operator_key_id                      the operator's key that opened it and alone may settle it; without one only the person may
--   asked, at_least                      what the caller asked for; with `at_least` fewer are enough
--   credits, plan_credits                what is reserved, and how much of it of the plan account
--   opened_at, expires_at, extended_at   by the product's clock
--   state, resolved_at                   `open`, then `settled`, `released` or `expired`, or `settled_late` after it has expired
--   settled_credits, failure, charged    what its request cost, why it failed, and what was taken; the rest is uncollected
--   rates, cost                          the prices of its model's tokens, and what its request cost in thousandths, if by tokens
--   outlives_month                       its month was closed while it was open. It stays so when it is resolved, until the worker
--                                        has counted it to that month and lets the rest expire
--   reason, model, project, run          what an editor says of it, which may be erased
--   run_limit                            the most that the person's holds with this run may take together

-- SHA-256 of what a caller asked for, as a JSON array of texts.
CREATE OR REPLACE FUNCTION ledger_input_hash(VARIADIC parts text[]) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT sha256(convert_to(array_to_json(parts)::text, 'UTF8'))
$$;

-- What the hashes of a transfer's entries say of the transfer. Times are in microseconds; 3 is the version of
-- this format. The actor stands with the operator's key that acted for them, where there is one.
CREATE OR REPLACE FUNCTION ledger_transfer_digest(transfer ledger_transfers) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT sha256(convert_to('[3, ' || to_json(transfer.idempotency_key) || ', ' || to_json(transfer.kind::text)
    || ', ' || coalesce(to_json(transfer.grant_id)::text, 'null') || ', "' || encode(transfer.input_hash, 'hex')
    || '", ' || (extract(epoch FROM transfer.occurred_at) * 1000000)::bigint
    || ', ' || (extract(epoch FROM transfer.posted_at) * 1000000)::bigint
    || ', ' || coalesce(to_json(transfer.intent_id)::text, 'null') || ', ' || coalesce(to_json(transfer.event_id)::text, 'null')
    || ', ' || to_json(concat_ws(' ', transfer.actor, transfer.operator_key_id)) || ', "' || encode(transfer.reason_hash, 'hex') || '"]', 'UTF8'))
$$;

-- Chains an entry to the previous one of its account (NULL for the first). An entry of the house, which has
-- no version and no balance, is chained to the last entry that its transfer has in the owner's accounts.
CREATE OR REPLACE FUNCTION ledger_entry_hash(
  previous bytea, digest bytea, account_id bigint, amount bigint, version bigint, balance_after bigint
) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sha256(coalesce(previous, ''::bytea) || digest || int8send(account_id) || int8send(amount)
    || coalesce(int8send(version), ''::bytea) || coalesce(int8send(balance_after), ''::bytea))
$$;

-- Locks the rows of some owners until the transaction ends, in the order of their ids. An owner who is new to the ledger
-- gets accounts first, before any row is locked, so that transactions which meet here cannot deadlock.
CREATE OR REPLACE FUNCTION ledger_lock_owners(owner_ids text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  IF (SELECT count(*) FROM ledger_owners o WHERE o.owner_id = ANY (owner_ids)) < (SELECT count(DISTINCT id) FROM unnest(owner_ids) id) THEN
    INSERT INTO ledger_accounts (owner_id, name)
    SELECT DISTINCT given.owner_id, account.name
    FROM unnest(owner_ids) AS given (owner_id), unnest(ARRAY['plan', 'purchased']) AS account (name)
    WHERE NOT EXISTS (SELECT FROM ledger_owners o WHERE o.owner_id = given.owner_id)
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING;
    INSERT INTO ledger_owners (owner_id, plan_account_id, purchased_account_id)
    SELECT a.owner_id, min(a.id) FILTER (WHERE a.name = 'plan'), min(a.id) FILTER (WHERE a.name = 'purchased')
    FROM ledger_accounts a WHERE a.owner_id = ANY (owner_ids)
    GROUP BY a.owner_id ORDER BY 1
    ON CONFLICT DO NOTHING;
  END IF;
  PERFORM FROM ledger_owners o WHERE o.owner_id = ANY (owner_ids) ORDER BY o.owner_id FOR NO KEY UPDATE;
END
$$;

-- Appends one transfer to the books of an owner, whose row the caller has locked, and saves that row. `plan` and
-- `purchased` are what it adds to the owner's accounts, below zero what it takes; the account of the house takes the
-- other side. Returns the row and the transfer as they are then. LG002: it moves nothing, or names no account of the house.
CREATE OR REPLACE PROCEDURE ledger_append(
  INOUT owner ledger_owners, INOUT transfer ledger_transfers, plan bigint, purchased bigint, house text
) LANGUAGE plpgsql AS $$
DECLARE
  digest bytea;
  house_account_id bigint;
BEGIN
  house_account_id := (SELECT id FROM ledger_accounts WHERE owner_id = 'house' AND name = house);
  IF plan = 0 AND purchased = 0 OR (plan + purchased = 0) <> (house_account_id IS NULL) THEN
    RAISE EXCEPTION 'Transfer % moves nothing, or names no account of the house', transfer.idempotency_key USING ERRCODE = 'LG002';
  END IF;
  transfer.posted_at := clock_timestamp();
  -- The digest covers this hash in place of the text, which may have been erased.
  transfer.reason_salt := uuid_send(gen_random_uuid());
  transfer.reason_hash := sha256(transfer.reason_salt || convert_to(coalesce(transfer.reason, ''), 'UTF8'));
  IF transfer.reason IS NULL THEN transfer.reason_salt := NULL; END IF;
  transfer.id := nextval('ledger_transfers_id_seq');
  INSERT INTO ledger_keys (owner_id, idempotency_key, transfer_id, input_hash)
  VALUES (transfer.owner_id, transfer.idempotency_key, transfer.id, transfer.input_hash);
  INSERT INTO ledger_transfers SELECT transfer.*;
  digest := ledger_transfer_digest(transfer);
  IF plan <> 0 THEN
    owner.plan_version := owner.plan_version + 1;
    owner.plan_balance := owner.plan_balance + plan;
    owner.plan_hash := ledger_entry_hash(owner.plan_hash, digest, owner.plan_account_id, plan, owner.plan_version, owner.plan_balance);
  END IF;
  IF purchased <> 0 THEN
    owner.purchased_version := owner.purchased_version + 1;
    owner.purchased_balance := owner.purchased_balance + purchased;
    owner.purchased_hash := ledger_entry_hash(owner.purchased_hash, digest, owner.purchased_account_id, purchased,
      owner.purchased_version, owner.purchased_balance);
  END IF;
  INSERT INTO ledger_entries (owner_id, transfer_id, account_id, amount, version, balance_after, hash)
  SELECT owner.owner_id, transfer.id, entry.* FROM (VALUES
    (owner.plan_account_id, plan, owner.plan_version, owner.plan_balance, owner.plan_hash),
    (owner.purchased_account_id, purchased, owner.purchased_version, owner.purchased_balance, owner.purchased_hash),
    (house_account_id, -plan - purchased, NULL, NULL,
      ledger_entry_hash(CASE purchased WHEN 0 THEN owner.plan_hash ELSE owner.purchased_hash END, digest, house_account_id,
        -plan - purchased, NULL, NULL))
  ) AS entry (account_id, amount, version, balance_after, hash)
  WHERE entry.amount <> 0;
  owner.last_transfer_id := transfer.id;
  CALL ledger_save_owner(owner);
END
$$;

-- Saves what may change of an owner's row.
CREATE OR REPLACE PROCEDURE ledger_save_owner(owner ledger_owners) LANGUAGE sql AS $$
  UPDATE ledger_owners o
  SET last_transfer_id = owner.last_transfer_id, plan_version = owner.plan_version, plan_balance = owner.plan_balance,
    plan_hash = owner.plan_hash, purchased_version = owner.purchased_version, purchased_balance = owner.purchased_balance,
    purchased_hash = owner.purchased_hash, held = owner.held, plan_held = owner.plan_held, rest = owner.rest
  WHERE o.owner_id = owner.owner_id
$$;

-- Posts transfers in the given order, all or none. `plan_credits` and `purchased_credits` say what each adds
-- to the accounts of its grant's owner (zero: nothing); `houses` names the account of the house, and is NULL
-- where both cancel out. `grants` holds the grant of each, as a row of ledger_grants: it is inserted with its
-- first transfer. A key that was posted before with the same input returns the first result. LG001: the key
-- was posted with another input, or the grant exists for another owner, account or kind. LG002: see ledger_append; or a
-- transfer has the key of a usage.
CREATE OR REPLACE FUNCTION ledger_post(
  owner_ids text[], idempotency_keys text[], kinds text[], occurred_at timestamptz[], intent_ids uuid[],
  event_ids text[], actors text[], reasons text[], plan_credits bigint[], purchased_credits bigint[], houses text[], grants jsonb[]
) RETURNS TABLE (ordinal bigint, transfer_id bigint, posted boolean) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  request record;
  owner ledger_owners;
  known ledger_keys;
  named ledger_grants;
  known_grant ledger_grants;
  transfer ledger_transfers;
BEGIN
  -- Each statement after it sees what was posted for these owners before.
  PERFORM ledger_lock_owners(owner_ids);
  FOR request IN
    SELECT * FROM unnest(owner_ids, idempotency_keys, kinds, occurred_at, intent_ids, event_ids, actors, reasons,
      plan_credits, purchased_credits, houses, grants) WITH ORDINALITY
      AS given (owner_id, idempotency_key, kind, occurred_at, intent_id, event_id, actor, reason, plan, purchased, house,
        of_grant, ordinal)
    ORDER BY given.ordinal
  LOOP
    ordinal := request.ordinal;
    named := jsonb_populate_record(NULL::ledger_grants, request.of_grant);
    transfer := NULL;
    transfer.idempotency_key := request.idempotency_key;
    transfer.input_hash := ledger_input_hash(request.kind, request.owner_id, request.intent_id::text, named.id, request.house,
      request.plan::text, request.purchased::text);

    SELECT * INTO known FROM ledger_keys k
    WHERE k.idempotency_key = request.idempotency_key AND NOT starts_with(k.idempotency_key, 'usage/');
    posted := NOT FOUND;
    IF NOT posted THEN
      IF known.input_hash <> transfer.input_hash THEN
        RAISE EXCEPTION 'Transfer % was posted before with another input', request.idempotency_key USING ERRCODE = 'LG001';
      END IF;
      transfer_id := known.transfer_id;
      RETURN NEXT;
      CONTINUE;
    END IF;
    SELECT * INTO owner FROM ledger_owners o WHERE o.owner_id = request.owner_id;
    SELECT * INTO known_grant FROM ledger_grants g WHERE g.id = named.id;
    IF (known_grant.owner_id, known_grant.account, known_grant.kind) <> (request.owner_id, named.account, named.kind) THEN
      RAISE EXCEPTION 'Grant % exists for another owner, account or kind', named.id USING ERRCODE = 'LG001';
    ELSIF request.idempotency_key ~ '^(usage|hold)/' THEN
      RAISE EXCEPTION 'Transfer % has the key of a usage', request.idempotency_key USING ERRCODE = 'LG002';
    END IF;

    SELECT request.owner_id, request.kind, named.id, request.occurred_at, request.intent_id, request.event_id, request.actor,
      request.reason, nullif(current_setting('tidemark.act_id', true), '')
    INTO transfer.owner_id, transfer.kind, transfer.grant_id, transfer.occurred_at, transfer.intent_id, transfer.event_id, transfer.actor,
      transfer.reason, transfer.act_id;
    CALL ledger_append(owner, transfer, request.plan, request.purchased, request.house);
    IF known_grant.id IS NULL THEN
      named.created_at := transfer.posted_at;
      INSERT INTO ledger_grants SELECT named.*;
    END IF;
    transfer_id := transfer.id;
    RETURN NEXT;
  END LOOP;
END
$$;

-- What can be spent, which is not what is held.
CREATE OR REPLACE FUNCTION ledger_available(owner ledger_owners) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT owner.plan_balance + owner.purchased_balance - owner.held
$$;

-- How many of so many credits the plan account pays: as far as it has them beside what is held of it. The rest is bought.
CREATE OR REPLACE FUNCTION ledger_of_plan(owner ledger_owners, credits bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT least(credits, greatest(owner.plan_balance - owner.plan_held, 0))
$$;

-- Ends the owner's open holds that are named, or those that have expired by a moment of the product's clock, and adds to
-- `ended` how many.
CREATE OR REPLACE PROCEDURE ledger_end_holds(INOUT owner ledger_owners, moment timestamptz, released uuid[], INOUT ended bigint)
LANGUAGE plpgsql AS $$
BEGIN
  WITH freed AS (
    UPDATE ledger_holds h
    SET state = CASE WHEN released IS NULL THEN 'expired' ELSE 'released' END,
      resolved_at = CASE WHEN released IS NULL THEN h.expires_at ELSE moment END
    WHERE h.owner_id = owner.owner_id AND h.state = 'open'
      AND CASE WHEN released IS NULL THEN h.expires_at <= moment ELSE h.id = ANY (released) END
    RETURNING h.credits, h.plan_credits
  )
  SELECT owner.held - coalesce(sum(credits), 0), owner.plan_held - coalesce(sum(plan_credits), 0), ended + count(*)
  INTO owner.held, owner.plan_held, ended FROM freed;
  CALL ledger_save_owner(owner);
END
$$;

-- What is kept of a usage under its key: the credits that were reported, or what its tokens cost.
CREATE OR REPLACE FUNCTION ledger_usage_hash(owner_id text, credits bigint, cost bigint) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT ledger_input_hash('usage', owner_id, coalesce(cost || '/1000', credits::text))
$$;

-- Adds a usage to the sums of its day. An owner has at most 1,000 combinations a day; new ones above that are counted as
-- `other` of their person and editor.
CREATE OR REPLACE PROCEDURE ledger_count_usage(usage ledger_transfers, requests integer, failed integer, credits bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  today CONSTANT date := (usage.occurred_at AT TIME ZONE 'UTC')::date;
  is_new boolean;
BEGIN
  INSERT INTO ledger_usage_days AS d (owner_id, day, actor, token_id, model, project, requests, failed, credits, first_id)
  VALUES (usage.owner_id, today, usage.actor, usage.token_id, usage.model, usage.project, requests, failed, credits, usage.id)
  ON CONFLICT (owner_id, day, actor, token_id, model, project) DO UPDATE
  SET requests = d.requests + EXCLUDED.requests, failed = d.failed + EXCLUDED.failed, credits = d.credits + EXCLUDED.credits
  -- Postgres sets xmax of a row that it updates, and not of one that it inserts.
  RETURNING d.xmax = 0 INTO is_new;
  IF is_new AND (usage.model, usage.project) IS DISTINCT FROM ('other', 'other')
    AND (SELECT count(*) FROM ledger_usage_days d WHERE d.owner_id = usage.owner_id AND d.day = today) > 1000 THEN
    DELETE FROM ledger_usage_days d WHERE (d.owner_id, d.day, d.actor, d.first_id) = (usage.owner_id, today, usage.actor, usage.id);
    usage.model := 'other';
    usage.project := 'other';
    CALL ledger_count_usage(usage, requests, failed, credits);
  END IF;
END
$$;

-- Posts a usage, of which `plan` credits are of the plan account, or writes down a request that failed, or whose cost is not a
-- credit yet; both take the key. The transfer's `cost` beyond `credits` changes the owner's rest. `requests`: how many of the
-- day's it is; what a hold's request cost above the hold is no other one.
CREATE OR REPLACE PROCEDURE ledger_use(
  INOUT owner ledger_owners, INOUT transfer ledger_transfers, plan bigint, credits bigint, failure text, requests integer
) LANGUAGE plpgsql AS $$
BEGIN
  transfer.owner_id := owner.owner_id;
  transfer.kind := 'usage';
  transfer.input_hash := ledger_usage_hash(owner.owner_id, credits, transfer.cost);
  owner.rest := owner.rest + coalesce(transfer.cost - 1000 * credits, 0);
  IF credits > 0 THEN
    CALL ledger_append(owner, transfer, -plan, plan - credits, 'used');
    CALL ledger_count_usage(transfer, requests, 0, credits);
    -- It has made the balance low (`lowBalanceCredits`).
    IF owner.plan_balance + owner.purchased_balance BETWEEN 100 - credits AND 99 THEN
      PERFORM mails_tell('balance_low', owner.owner_id, NULL, (transfer.occurred_at AT TIME ZONE 'UTC')::date::text,
        jsonb_build_object('left', owner.plan_balance + owner.purchased_balance));
    END IF;
    UPDATE ledger_budget_periods p SET used = p.used + credits
    WHERE p.owner_id = owner.owner_id AND p.actor IN ('', transfer.actor)
      AND p.ends_on > (transfer.occurred_at AT TIME ZONE 'UTC')::date AND p.starts_on <= (transfer.occurred_at AT TIME ZONE 'UTC')::date;
  ELSE
    transfer.id := nextval('ledger_transfers_id_seq');
    INSERT INTO ledger_keys (owner_id, idempotency_key, input_hash) VALUES (owner.owner_id, transfer.idempotency_key, transfer.input_hash);
    INSERT INTO ledger_failures (owner_id, id, idempotency_key, occurred_at, failure, cost, actor, operator_key_id, token_id, reason, model,
      project, run)
    VALUES (owner.owner_id, transfer.id, transfer.idempotency_key, transfer.occurred_at, failure, transfer.cost, transfer.actor,
      transfer.operator_key_id, transfer.token_id, transfer.reason, transfer.model, transfer.project, transfer.run);
    CALL ledger_count_usage(transfer, requests, CASE WHEN failure IS NULL THEN 0 ELSE 1 END, 0);
    CALL ledger_save_owner(owner);
    transfer.id := NULL;
  END IF;
END
$$;

-- Settles a hold that is open, or has expired, with what its request cost. Up to what was reserved it is never refused: it
-- occurred when that was reserved, and takes of each account what was reserved there, also where that is not there any
-- more. What is above it, and all of a hold that has expired, occurs now, as far as it is available, the person may still
-- spend and every budget has as much left. With a `cost` in thousandths, of which `credits` are the whole ones with the owner's
-- rest, the first transfer has the part of a credit; without a transfer a hold that was open leaves it to the rest. Returns the
-- owner's row and the hold as they are then, and the first transfer.
CREATE OR REPLACE PROCEDURE ledger_settle(
  INOUT owner ledger_owners, INOUT hold ledger_holds, credits bigint, cost bigint, failure text, moment timestamptz, may_spend boolean,
  INOUT transfer_id bigint
) LANGUAGE plpgsql AS $$
DECLARE
  transfer ledger_transfers;
  reserved bigint := 0;
  above bigint;
  beyond CONSTANT bigint := cost - 1000 * credits;
BEGIN
  SELECT 'hold/' || hold.id, moment, hold.actor, hold.operator_key_id, hold.reason, hold.token_id, hold.model, hold.project, hold.run
  INTO transfer.idempotency_key, transfer.occurred_at, transfer.actor, transfer.operator_key_id, transfer.reason, transfer.token_id,
    transfer.model, transfer.project, transfer.run;
  IF hold.state = 'open' THEN
    reserved := least(credits, hold.credits);
    owner.held := owner.held - hold.credits;
    owner.plan_held := owner.plan_held - hold.plan_credits;
    CALL ledger_save_owner(owner);
    transfer.occurred_at := hold.opened_at;
  END IF;
  IF reserved > 0 OR failure IS NOT NULL OR hold.state = 'open' AND credits = 0 AND cost > 0 THEN
    transfer.cost := 1000 * reserved + beyond;
    CALL ledger_use(owner, transfer, least(reserved, hold.plan_credits), reserved, failure, 1);
    transfer_id := transfer.id;
  END IF;
  above := CASE WHEN may_spend AND credits > reserved THEN greatest(least(credits - reserved, ledger_available(owner),
    (SELECT min(b.left) FROM ledger_budgets_of(owner.owner_id, hold.actor, moment, hold.run, hold.run_limit - reserved, hold.id) b)), 0)
    ELSE 0 END;
  IF above > 0 THEN
    transfer.occurred_at := moment;
    transfer.idempotency_key := 'hold/' || hold.id || CASE WHEN reserved > 0 THEN '/above' ELSE '' END;
    transfer.cost := CASE WHEN reserved > 0 THEN NULL ELSE 1000 * above + beyond END;
    CALL ledger_use(owner, transfer, ledger_of_plan(owner, above), above, NULL, CASE WHEN reserved > 0 THEN 0 ELSE 1 END);
    transfer_id := coalesce(transfer_id, transfer.id);
  END IF;
  UPDATE ledger_holds h
  SET state = CASE h.state WHEN 'open' THEN 'settled' ELSE 'settled_late' END, resolved_at = moment,
    settled_credits = ledger_settle.credits, cost = ledger_settle.cost, failure = ledger_settle.failure, charged = reserved + above
  WHERE h.id = hold.id AND h.owner_id = hold.owner_id
  RETURNING * INTO hold;
END
$$;

-- Decides what editors ask for in the given order, each with what those before it left. `actions`:
--   use       spends `credits`; none with a `failure`, which is only counted and takes the idempotency key
--   reserve   holds `credits`, or with `at_least` what is available, for so many seconds (`lasting`)
--   settle    ends the hold `hold_ids` with what it cost: what was reserved always, more if available and if they `may_spend`
--   release   ends it with nothing
--   extend    lets it last longer, until a day after it was opened
-- In place of `credits`, a usage and a settlement may have `costs` in thousandths of a credit: the whole credits of it and the
-- owner's rest are charged. A hold keeps its `rates`. Plan credits go first. An outcome is `posted` (also for what posts no transfer), `replayed` (the same was asked
-- for before), `refused` (not enough is available), `over_budget` (enough is, but `budget` has less left), `conflict` (the key
-- was used for something else), `not_found` (of this person, payer and operator's key), `too_many` (open holds of the person), or
-- `settled`, `released` or `expired`: the
-- state of the hold, which does not allow it. `owner` and `hold` are the rows as they are afterwards. With `skip_locked`,
-- those of owners who are locked or new have no row. LG002: credits that are not allowed.
CREATE OR REPLACE FUNCTION ledger_spend(
  owner_ids text[], actions text[], credits bigint[], idempotency_keys text[], occurred_at timestamptz[],
  actors text[], reasons text[], token_ids uuid[], models text[], projects text[], runs text[], failures text[], hold_ids uuid[],
  at_least bigint[], lasting integer[], may_spend boolean[], operator_key_ids uuid[], run_limits bigint[], skip_locked boolean,
  costs bigint[] DEFAULT NULL, rates jsonb[] DEFAULT NULL
) RETURNS TABLE (
  ordinal bigint, outcome text, transfer_id bigint, charged bigint, owner ledger_owners, hold ledger_holds, budget jsonb
) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  holds_of_person_max CONSTANT integer := 50;
  hold_lasts_max CONSTANT interval := '24 hours';
  locked text[] := owner_ids;
  request record;
  known ledger_keys;
  reserved bigint;
  nearest ledger_budget_left;
  ended bigint := 0;
  transfer ledger_transfers;
BEGIN
  IF skip_locked THEN
    locked := ARRAY(SELECT o.owner_id FROM ledger_owners o WHERE o.owner_id = ANY (owner_ids) FOR NO KEY UPDATE SKIP LOCKED);
  ELSE
    PERFORM ledger_lock_owners(owner_ids);
  END IF;
  FOR request IN
    SELECT * FROM unnest(owner_ids, actions, credits, idempotency_keys, occurred_at, actors, reasons, token_ids, models,
      projects, runs, failures, hold_ids, at_least, lasting, may_spend, operator_key_ids, run_limits, costs, rates) WITH ORDINALITY
      AS given (owner_id, action, credits, idempotency_key, occurred_at, actor, reason, token_id, model, project, run, failure,
        hold_id, at_least, lasting, may_spend, operator_key_id, run_limit, cost, rates, ordinal)
    WHERE given.owner_id = ANY (locked) ORDER BY given.ordinal
  LOOP
    ordinal := request.ordinal;
    outcome := 'posted';
    transfer_id := NULL;
    charged := 0;
    hold := NULL;
    budget := NULL;
    SELECT * INTO owner FROM ledger_owners o WHERE o.owner_id = request.owner_id;
    IF request.failure IS NOT NULL AND coalesce(request.cost, request.credits) <> 0
      OR coalesce(request.cost, request.credits) < (CASE WHEN request.action = 'reserve' OR request.action = 'use' AND request.failure IS NULL THEN 1 ELSE 0 END) THEN
      RAISE EXCEPTION '% credits of % are not allowed', request.credits, request.owner_id USING ERRCODE = 'LG002';
    END IF;
    IF request.cost IS NOT NULL THEN request.credits := (owner.rest + request.cost) / 1000; END IF;
    IF request.action = 'use' THEN
      SELECT * INTO known FROM ledger_keys k WHERE k.owner_id = request.owner_id AND k.idempotency_key = request.idempotency_key;
    ELSIF request.action = 'reserve' THEN
      SELECT * INTO hold FROM ledger_holds h WHERE h.owner_id = request.owner_id AND h.idempotency_key = request.idempotency_key;
    ELSE
      SELECT * INTO hold FROM ledger_holds h
      WHERE h.id = request.hold_id AND h.owner_id = request.owner_id AND h.actor = request.actor
        AND h.operator_key_id IS NOT DISTINCT FROM request.operator_key_id;
    END IF;
    -- A hold whose time is over has expired, also where that is not written down yet. The owner's end before one of
    -- them decides what happens.
    IF owner.held > 0 AND (hold.state = 'open' AND hold.expires_at <= request.occurred_at
      OR ledger_available(owner) < request.credits - (CASE hold.state WHEN 'open' THEN hold.credits ELSE 0 END)) THEN
      CALL ledger_end_holds(owner, request.occurred_at, NULL, ended);
      SELECT * INTO hold FROM ledger_holds h WHERE h.id = hold.id AND h.owner_id = request.owner_id;
    END IF;
    nearest := NULL;
    IF request.action IN ('use', 'reserve')
      AND (request.run_limit IS NOT NULL OR EXISTS (SELECT FROM ledger_budgets b WHERE b.owner_id = request.owner_id)) THEN
      SELECT b.budget_id, b.scope, b.period, b.actor, b.starts_on, b.ends_on, b.credits, b.used, b.held, b.left,
        bool_and(b.is_stored) OVER () INTO nearest
      FROM ledger_budgets_of(request.owner_id, request.actor, request.occurred_at, request.run, request.run_limit, NULL) b
      ORDER BY b.left, b.scope LIMIT 1;
      IF NOT nearest.is_stored THEN
        CALL ledger_begin_budget_periods(request.owner_id, request.actor, request.occurred_at);
      END IF;
    END IF;

    CASE
    WHEN request.action = 'use' AND known.input_hash IS NOT NULL THEN
      outcome := CASE WHEN known.input_hash = ledger_usage_hash(request.owner_id, request.credits, request.cost)
        THEN 'replayed' ELSE 'conflict' END;
      transfer_id := known.transfer_id;
      charged := CASE WHEN request.cost IS NULL THEN request.credits ELSE coalesce((SELECT -sum(e.amount) FROM ledger_entries e
        WHERE e.owner_id = request.owner_id AND e.transfer_id = known.transfer_id AND e.version IS NOT NULL), 0) END;
    WHEN request.action = 'use' AND request.failure IS NULL AND ledger_available(owner) < greatest(request.credits, 1) THEN
      outcome := 'refused';
    WHEN request.action = 'use' AND request.failure IS NULL AND nearest.left < greatest(request.credits, 1) THEN
      outcome := 'over_budget';
    WHEN request.action = 'use' THEN
      transfer := NULL;
      SELECT request.idempotency_key, request.occurred_at, request.actor, request.reason, request.token_id, request.model,
        request.project, request.run, request.operator_key_id, request.cost
      INTO transfer.idempotency_key, transfer.occurred_at, transfer.actor, transfer.reason, transfer.token_id, transfer.model,
        transfer.project, transfer.run, transfer.operator_key_id, transfer.cost;
      CALL ledger_use(owner, transfer, ledger_of_plan(owner, request.credits), request.credits, request.failure, 1);
      transfer_id := transfer.id;
      charged := request.credits;
    WHEN request.action = 'reserve' AND hold.id IS NOT NULL THEN
      outcome := CASE WHEN (hold.asked, hold.at_least, hold.operator_key_id)
        IS NOT DISTINCT FROM (request.credits, request.at_least, request.operator_key_id) THEN 'replayed' ELSE 'conflict' END;
    WHEN request.action = 'reserve' AND owner.held > 0 AND holds_of_person_max <= (
      SELECT count(*) FROM ledger_holds h
      WHERE h.owner_id = request.owner_id AND h.actor = request.actor AND h.state = 'open' AND h.expires_at > request.occurred_at) THEN
      outcome := 'too_many';
    WHEN request.action = 'reserve' AND ledger_available(owner) < coalesce(request.at_least, request.credits) THEN
      outcome := 'refused';
    WHEN request.action = 'reserve' AND nearest.left < coalesce(request.at_least, request.credits) THEN
      outcome := 'over_budget';
    WHEN request.action = 'reserve' THEN
      reserved := least(request.credits, ledger_available(owner), nearest.left);
      INSERT INTO ledger_holds AS h (owner_id, idempotency_key, actor, token_id, asked, at_least, credits, plan_credits, opened_at,
        expires_at, reason, model, project, run, operator_key_id, run_limit, rates)
      VALUES (request.owner_id, request.idempotency_key, request.actor, request.token_id, request.credits, request.at_least,
        reserved, ledger_of_plan(owner, reserved), request.occurred_at,
        request.occurred_at + make_interval(secs => request.lasting), request.reason, request.model, request.project, request.run,
        request.operator_key_id, request.run_limit, request.rates)
      RETURNING * INTO hold;
      owner.held := owner.held + hold.credits;
      owner.plan_held := owner.plan_held + hold.plan_credits;
      CALL ledger_save_owner(owner);
    WHEN hold.id IS NULL THEN
      outcome := 'not_found';
    WHEN request.action = 'settle' AND hold.settled_credits IS NOT NULL THEN
      outcome := CASE WHEN (coalesce(hold.cost, hold.settled_credits * 1000), coalesce(hold.failure, ''))
        = (coalesce(request.cost, request.credits * 1000), coalesce(request.failure, '')) THEN 'replayed' ELSE 'settled' END;
      charged := hold.charged;
    WHEN request.action = 'settle' AND (hold.state = 'open'
      OR hold.state = 'expired' AND request.occurred_at <= hold.expires_at + hold_lasts_max) THEN
      CALL ledger_settle(owner, hold, request.credits, request.cost, request.failure, request.occurred_at, request.may_spend, transfer_id);
      charged := hold.charged;
    WHEN request.action = 'release' AND hold.state = 'released' THEN
      outcome := 'replayed';
    WHEN hold.state <> 'open' THEN
      outcome := CASE hold.state WHEN 'settled_late' THEN 'settled' ELSE hold.state END;
      charged := coalesce(hold.charged, 0);
    WHEN request.action = 'release' THEN
      CALL ledger_end_holds(owner, request.occurred_at, ARRAY[hold.id], ended);
      SELECT * INTO hold FROM ledger_holds h WHERE h.id = hold.id AND h.owner_id = request.owner_id;
    WHEN request.action = 'extend' THEN
      UPDATE ledger_holds h
      SET extended_at = request.occurred_at, expires_at = greatest(h.expires_at,
        least(request.occurred_at + make_interval(secs => request.lasting), h.opened_at + hold_lasts_max))
      WHERE h.id = hold.id AND h.owner_id = request.owner_id
      RETURNING * INTO hold;
    END CASE;
    IF outcome = 'over_budget' THEN
      budget := to_jsonb(nearest);
      UPDATE ledger_budget_periods p SET refused = p.refused + 1, refused_at = request.occurred_at, refused_actor = request.actor,
        refused_credits = request.credits
      WHERE (p.owner_id, p.actor, p.ends_on, p.budget_id) = (request.owner_id, nearest.actor, nearest.ends_on, nearest.budget_id);
    END IF;
    RETURN NEXT;
  END LOOP;
END
$$;

-- Ends holds of some owners, for the worker: those that are named are released, or those that have expired by a
-- moment of the product's clock end. Returns how many ended.
CREATE OR REPLACE FUNCTION ledger_end_holds_of(owner_ids text[], moment timestamptz, released uuid[])
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  owner ledger_owners;
  ended bigint := 0;
BEGIN
  PERFORM ledger_lock_owners(owner_ids);
  FOR owner IN SELECT * FROM ledger_owners o WHERE o.owner_id = ANY (owner_ids) LOOP
    CALL ledger_end_holds(owner, moment, released, ended);
  END LOOP;
  RETURN ended;
END
$$;

-- What each grant brought, lost and has transfers of, in its own account.
CREATE OR REPLACE VIEW ledger_grant_sums AS
SELECT g.id, g.owner_id, g.account, g.kind, g.intent_id, g.stripe_subscription_id, g.stripe_invoice_id,
  g.month_starts_at, g.starts_at, g.ends_at, g.created_at,
  posted.gross, posted.refunded, posted.disputed, posted.returned, posted.expired, posted.written_off, posted.adjusted,
  posted.transfers
FROM ledger_grants g
LEFT JOIN ledger_accounts a ON a.owner_id = g.owner_id AND a.name = g.account
CROSS JOIN LATERAL (
  SELECT
    coalesce(sum(e.amount) FILTER (WHERE t.kind IN ('credit_purchase', 'withdrawal', 'plan_grant', 'seat_grant')), 0)::bigint AS gross,
    coalesce(-sum(e.amount) FILTER (WHERE t.kind = 'refund'), 0)::bigint AS refunded,
    coalesce(-sum(e.amount) FILTER (WHERE t.kind IN ('dispute', 'dispute_won')), 0)::bigint AS disputed,
    coalesce(sum(e.amount) FILTER (WHERE t.kind = 'usage_moved'), 0)::bigint AS returned,
    coalesce(sum(e.amount) FILTER (WHERE t.kind = 'expiry'), 0)::bigint AS expired,
    coalesce(sum(e.amount) FILTER (WHERE t.kind = 'write_off'), 0)::bigint AS written_off,
    coalesce(sum(e.amount) FILTER (WHERE t.kind = 'adjustment'), 0)::bigint AS adjusted,
    count(t.id) AS transfers
  FROM ledger_transfers t
  LEFT JOIN LATERAL (
    SELECT amount FROM ledger_entries
    WHERE owner_id = t.owner_id AND account_id = a.id AND transfer_id = t.id OFFSET 0
  ) e ON true
  WHERE t.owner_id = g.owner_id AND t.grant_id = g.id
) posted;

-- Everything that the ledger has of one owner, as JSON. `used_open` are the plan credits that were used, or taken by
-- `usage_moved`, and are in no month that was closed. `holds` are those that are open, and those whose settlement is not
-- counted to their closed month yet, with what it took of the plan account.
CREATE OR REPLACE FUNCTION ledger_books(owner_id text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  WITH grants AS (
    SELECT g.* FROM ledger_grant_sums g WHERE g.owner_id = ledger_books.owner_id
  ), closed AS (
    SELECT m.stripe_subscription_id, m.month_starts_at AS starts_at, m.used FROM ledger_months_used m
    WHERE m.owner_id = ledger_books.owner_id
  ), holds AS (
    SELECT h.id, h.opened_at, h.credits, h.state = 'open' AS is_open, h.outlives_month,
      CASE h.state WHEN 'settled' THEN least(h.settled_credits, h.plan_credits) ELSE 0 END AS used
    FROM ledger_holds h WHERE h.owner_id = ledger_books.owner_id AND (h.state = 'open' OR h.outlives_month)
  )
  SELECT jsonb_build_object(
    'plan', jsonb_build_object('balance', coalesce(o.plan_balance, 0), 'version', coalesce(o.plan_version, 0)),
    'purchased', jsonb_build_object('balance', coalesce(o.purchased_balance, 0), 'version', coalesce(o.purchased_version, 0)),
    'used_open',
      (SELECT coalesce(sum(g.gross - g.refunded - g.disputed + g.expired + g.written_off + g.adjusted), 0)
        FROM grants g WHERE g.account = 'plan')
      - coalesce(o.plan_balance, 0) - (SELECT coalesce(sum(c.used), 0) FROM closed c),
    'grants', (SELECT coalesce(jsonb_agg(to_jsonb(g) ORDER BY g.month_starts_at NULLS FIRST, g.id), '[]') FROM grants g),
    'closed_months', (SELECT coalesce(jsonb_agg(to_jsonb(c) ORDER BY c.starts_at, c.stripe_subscription_id), '[]') FROM closed c),
    'holds', (SELECT coalesce(jsonb_agg(to_jsonb(h) ORDER BY h.opened_at, h.id), '[]') FROM holds h))
  FROM (SELECT) always LEFT JOIN ledger_owners o ON o.owner_id = ledger_books.owner_id
$$;

-- Closes a billing month: writes down how many of its plan credits were used. `differenceOf` (schema/billing/position) decides
-- that, and what is posted as expired or written off in the same transaction. A hold of `hold_ids`, which were opened in it,
-- outlives it while it is open; when it is resolved, the month is closed again. LG001: it was closed before with more, or as
-- another owner's. LG002: more than `used_open`.
CREATE OR REPLACE FUNCTION ledger_close_month(
  owner_id text, stripe_subscription_id text, month_starts_at timestamptz, used bigint, hold_ids uuid[]
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM ledger_lock_owners(ARRAY[ledger_close_month.owner_id]);
  UPDATE ledger_holds h SET outlives_month = h.state = 'open' WHERE h.owner_id = ledger_close_month.owner_id AND h.id = ANY (hold_ids);
  INSERT INTO ledger_months_used AS m (stripe_subscription_id, month_starts_at, owner_id, used)
  VALUES (stripe_subscription_id, month_starts_at, owner_id, used)
  ON CONFLICT (stripe_subscription_id, month_starts_at) DO UPDATE SET used = EXCLUDED.used
  WHERE m.owner_id = EXCLUDED.owner_id AND m.used <= EXCLUDED.used;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'Month % of % was closed before with other credits used', month_starts_at, stripe_subscription_id USING ERRCODE = 'LG001';
  ELSIF (ledger_books(ledger_close_month.owner_id) ->> 'used_open')::bigint < 0 THEN
    RAISE EXCEPTION 'Month % of % cannot have used % credits', month_starts_at, stripe_subscription_id, used USING ERRCODE = 'LG002';
  END IF;
END
$$;

-- Rows of the ledger are never changed or deleted. Two exceptions: the texts of a transfer and their salt may become NULL, and
-- what was used of a closed month may grow by what a hold of it took.
CREATE OR REPLACE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  texts CONSTANT text[] := '{reason,reason_salt,model,project,run}';
BEGIN
  IF TG_TABLE_NAME = 'ledger_transfers' AND TG_OP = 'UPDATE' THEN
    IF num_nonnulls(NEW.reason, NEW.reason_salt, NEW.model, NEW.project, NEW.run) = 0 AND to_jsonb(NEW) - texts = to_jsonb(OLD) - texts THEN
      RETURN NEW;
    END IF;
  ELSIF TG_TABLE_NAME = 'ledger_months_used' AND TG_OP = 'UPDATE' THEN
    IF NEW.used >= OLD.used AND to_jsonb(NEW) - 'used' = to_jsonb(OLD) - 'used' THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'The ledger is append-only: % on % is refused; a correction is one more transfer', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$$;

-- Erases, with its salt, what editors wrote of a person's usage, also of an organization's pool, and the notes on
-- adjustments that are about the person: theirs, and those of `organization_ids` that name them, by one of `names`, which are
-- in lower case. Returns how many.
CREATE OR REPLACE FUNCTION ledger_erase_texts(person text, organization_ids text[], names text[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  payers text[] := person || organization_ids;
  total bigint;
BEGIN
  UPDATE ledger_transfers t SET reason = NULL, reason_salt = NULL, model = NULL, project = NULL, run = NULL
  FROM (SELECT DISTINCT owner_id, transfer_id FROM ledger_entries WHERE owner_id = ANY (payers)) e
  WHERE t.id = e.transfer_id AND t.owner_id = e.owner_id AND t.reason IS NOT NULL AND CASE t.kind
    WHEN 'usage' THEN t.actor = person
    WHEN 'adjustment' THEN t.owner_id = person OR EXISTS (SELECT FROM unnest(names) AS name WHERE position(name IN lower(t.reason)) > 0)
  END;
  GET DIAGNOSTICS total = ROW_COUNT;
  UPDATE ledger_failures SET reason = NULL, model = NULL, project = NULL, run = NULL WHERE owner_id = ANY (payers) AND actor = person;
  UPDATE ledger_holds SET reason = NULL, model = NULL, project = NULL, run = NULL WHERE owner_id = ANY (payers) AND actor = person;
  DELETE FROM ledger_budgets WHERE owner_id = ANY (payers) AND person IN (owner_id, user_id);
  -- The sums stay with the person's id at Clerk, which is the pseudonym.
  WITH gone AS (
    DELETE FROM ledger_usage_days WHERE owner_id = ANY (payers) AND actor = person RETURNING *
  )
  INSERT INTO ledger_usage_days
  SELECT owner_id, day, actor, token_id, NULL, NULL, sum(requests), sum(failed), sum(credits), min(first_id)
  FROM gone GROUP BY owner_id, day, actor, token_id;
  RETURN total;
END
$$;

REVOKE ALL ON ROUTINE ledger_input_hash, ledger_transfer_digest, ledger_entry_hash, ledger_lock_owners, ledger_append,
  ledger_save_owner, ledger_post, ledger_available, ledger_of_plan, ledger_end_holds, ledger_settle, ledger_use, ledger_usage_hash, ledger_count_usage,
  ledger_spend, ledger_end_holds_of, ledger_books, ledger_close_month, ledger_erase_texts, ledger_refuse_change
  FROM PUBLIC, tidemark_server, tidemark_worker;
REVOKE ALL ON ledger_grant_sums FROM tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION ledger_lock_owners, ledger_post, ledger_end_holds_of, ledger_close_month, ledger_erase_texts
  TO tidemark_worker;
GRANT EXECUTE ON FUNCTION ledger_spend TO tidemark_server;
GRANT EXECUTE ON FUNCTION ledger_books TO tidemark_server, tidemark_worker;
GRANT SELECT ON ledger_grant_sums TO tidemark_server, tidemark_worker;

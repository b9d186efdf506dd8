-- What the hash of an entry covers in place of its free text, which may be erased.
CREATE OR REPLACE FUNCTION audit_text_hash(salt bytea, reason text, detail text) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(salt || convert_to(json_build_array(reason, detail)::text, 'UTF8'))
$$;

-- Chains an entry to the one before it (NULL for the first). Times are in microseconds.
CREATE OR REPLACE FUNCTION audit_entry_hash(entry audit_log, previous bytea) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(coalesce(previous, ''::bytea) || convert_to(json_build_array(entry.id,
    (extract(epoch FROM entry.at) * 1000000)::bigint, entry.actor, entry.act_id, entry.what, entry.outcome, entry.target_kind,
    entry.target_id, entry.owner_id, entry.before, entry.after, encode(entry.text_hash, 'hex'))::text, 'UTF8'))
$$;

-- Gives an entry the next number, and its hash. One entry is written at a time, until its transaction ends.
CREATE OR REPLACE FUNCTION audit_log_chain() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  previous audit_log;
BEGIN
  PERFORM pg_advisory_xact_lock('audit_log'::regclass::oid::bigint);
  SELECT * INTO previous FROM audit_log ORDER BY id DESC LIMIT 1;
  NEW.id := coalesce(previous.id, 0) + 1;
  NEW.salt := uuid_send(gen_random_uuid());
  NEW.text_hash := audit_text_hash(NEW.salt, NEW.reason, NEW.detail);
  NEW.hash := audit_entry_hash(NEW, previous.hash);
  RETURN NEW;
END
$$;

-- Rows of the audit log are never changed or deleted; only their free text may be erased.
CREATE OR REPLACE FUNCTION audit_log_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF num_nonnulls(NEW.reason, NEW.detail, NEW.salt) = 0
      AND to_jsonb(NEW) - ARRAY['reason', 'detail', 'salt'] = to_jsonb(OLD) - ARRAY['reason', 'detail', 'salt'] THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'The audit log is append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END
$$;

-- An act without what people wrote of it, and without what quotes them. An erasure keeps its outcome, which has
-- no text of people's and says what is left to do.
CREATE OR REPLACE FUNCTION support_without_texts(act support_acts) RETURNS support_acts LANGUAGE plpgsql AS $$
DECLARE
  erased CONSTANT text := 'Text erased';
BEGIN
  act.reason := erased;
  IF act.kind <> 'forget' THEN
    act.params := jsonb_set(act.params, '{adjustment,customer_note}', to_jsonb(erased), false);
    act.outcome := jsonb_set(jsonb_set(act.outcome, '{note}', to_jsonb(erased), false), '{transfers}',
      (SELECT coalesce(jsonb_agg(transfer || jsonb_build_object('reason', erased)), '[]')
        FROM jsonb_array_elements(act.outcome -> 'transfers') transfer), false);
    act.error := CASE WHEN act.error IS NOT NULL THEN erased END;
    act.last_error := CASE WHEN act.last_error IS NOT NULL THEN erased END;
  END IF;
  RETURN act;
END
$$;

-- Erases the texts of acts that have ended and are about a person, by owner or target, or that name them, by one
-- of `names`, which are in lower case; and of the act that erases them.
CREATE OR REPLACE FUNCTION support_erase_texts(person text, objects text[], names text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE support_acts a SET (reason, params, outcome, error, last_error) =
    (SELECT e.reason, e.params, e.outcome, e.error, e.last_error FROM support_without_texts(a) e)
  WHERE (a.state IN ('done', 'failed', 'refused') OR a.kind = 'forget' AND a.target_id = person)
    AND (a.owner_id = person OR a.target_id = ANY (objects) OR EXISTS (
      SELECT FROM unnest(names) AS name
      WHERE position(name IN lower(concat_ws(' ', a.reason, a.params, a.outcome, a.error, a.last_error))) > 0));
$$;

-- What an act of support does never changes, and its state only moves forward. Only its texts may be erased.
CREATE OR REPLACE FUNCTION support_acts_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW IS NOT DISTINCT FROM support_without_texts(OLD) THEN
    RETURN NEW;
  END IF;
  IF (NEW.id, NEW.batch_id, NEW.finding_id, NEW.kind, NEW.target_kind, NEW.target_id, NEW.params, NEW.reason, NEW.is_dry_run,
      NEW.requested_by, NEW.requested_at)
     IS DISTINCT FROM
     (OLD.id, OLD.batch_id, OLD.finding_id, OLD.kind, OLD.target_kind, OLD.target_id, OLD.params, OLD.reason, OLD.is_dry_run,
      OLD.requested_by, OLD.requested_at) THEN
    RAISE EXCEPTION 'The task of act % cannot change', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.state IN ('done', 'failed', 'refused', 'cancelled')
    OR (OLD.state = 'queued' AND NEW.state NOT IN ('queued', 'done', 'failed', 'cancelled'))
    OR (OLD.state = 'waiting_for_approval' AND NEW.state NOT IN ('waiting_for_approval', 'queued', 'refused')) THEN
    RAISE EXCEPTION 'Act % is % and cannot become %', OLD.id, OLD.state, NEW.state USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.state = 'waiting_for_approval' AND NEW.state = 'queued' AND NEW.approved_by IS NULL THEN
    RAISE EXCEPTION 'Act % waits for a second person', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END
$$;

-- What the limits of an act count: credits given or taken, or the money of a refund in minor units of its currency,
-- whichever that is. NULL for an act without limits.
CREATE OR REPLACE FUNCTION support_amount(act support_acts) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT abs((act.params #>> CASE act.kind WHEN 'adjust' THEN '{adjustment,credits}'::text[]
    WHEN 'refund' THEN '{refund,amount_minor}' END)::bigint)
$$;

-- Whether a second person has to agree: to every erasure and debt, and to an adjustment or refund with which its asker,
-- or all askers together, pass what may be adjusted or refunded within a day without one. `asked_credits` is the amount
-- of the whole request. Of other acts, those that were asked for until then count.
CREATE OR REPLACE FUNCTION support_needs_approval(
  act support_acts, asked_credits bigint, asker_limit bigint, total_limit bigint, until timestamptz
) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT act.kind = 'forget' OR act.kind IN ('adjust', 'refund') AND (
    coalesce((act.params #>> '{adjustment,may_leave_debt}')::boolean, false)
    OR greatest(asked_credits, support_amount(act), sum(amount) FILTER (WHERE is_same))
      > least(asker_limit - coalesce(sum(amount) FILTER (WHERE NOT is_same AND requested_by = act.requested_by), 0),
        total_limit - coalesce(sum(amount) FILTER (WHERE NOT is_same), 0)))
  FROM (
    SELECT a.requested_by, support_amount(a) AS amount,
      a.id = act.id OR (act.batch_id IS NOT NULL AND a.batch_id IS NOT DISTINCT FROM act.batch_id) AS is_same
    FROM support_acts a
    WHERE a.kind = act.kind AND a.kind IN ('adjust', 'refund') AND (NOT a.is_dry_run) AND a.approved_by IS NULL
      AND a.state IN ('queued', 'done') AND a.requested_at > act.requested_at - interval '1 day' AND a.requested_at <= until
  ) unapproved
$$;

-- Whether an adjustment or a refund passes what no two people may do together: `total_limit` at once, or four times that
-- by all within the day until it was asked for or, with a second person, agreed to.
CREATE OR REPLACE FUNCTION support_passes_ceiling(act support_acts, total_limit bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT act.kind IN ('adjust', 'refund') AND greatest(support_amount(act) * 4, (
    SELECT sum(support_amount(a)) FROM support_acts a
    WHERE a.kind = act.kind AND a.kind IN ('adjust', 'refund') AND (NOT a.is_dry_run) AND a.state IN ('queued', 'done')
      AND coalesce(a.approved_at, a.requested_at) > coalesce(act.approved_at, act.requested_at) - interval '1 day'
      AND coalesce(a.approved_at, a.requested_at) <= coalesce(act.approved_at, act.requested_at))) > total_limit * 4
$$;

-- The act under way that contradicts one that is asked for: one of its kind on the same target; for an erasure,
-- each act about the person, and the other way round.
CREATE OR REPLACE FUNCTION support_contradicting_act(act support_acts) RETURNS SETOF support_acts LANGUAGE sql STABLE AS $$
  SELECT a.* FROM support_acts a
  WHERE a.state IN ('waiting_for_approval', 'queued') AND (NOT a.is_dry_run) AND (
    (a.target_kind = act.target_kind AND a.target_id = act.target_id AND a.kind = act.kind)
    OR (starts_with(a.owner_id, 'user_') AND a.owner_id = act.owner_id AND 'forget' IN (a.kind, act.kind)))
  LIMIT 1
$$;

-- Writes down what was asked for, with its entry in the audit log and the token that proves who asked. No row
-- when the id is known, or an act is under way that contradicts it.
CREATE OR REPLACE FUNCTION support_write_act(
  asked jsonb, asked_credits bigint, asker_limit bigint, total_limit bigint, token text
) RETURNS SETOF support_acts LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  act support_acts := jsonb_populate_record(NULL::support_acts, asked);
BEGIN
  act.state := 'queued';
  act.requested_at := clock_timestamp();
  IF NOT act.is_dry_run THEN
    -- Of two adjustments, or refunds, the second one sees the first.
    IF act.kind IN ('adjust', 'refund') THEN
      PERFORM pg_advisory_xact_lock('support_acts'::regclass::oid::bigint);
    END IF;
    -- By no clock of the server, which could date it where nothing else counts, and in the order of the lock.
    act.requested_at := clock_timestamp();
    IF support_needs_approval(act, asked_credits, asker_limit, total_limit, 'infinity') THEN
      act.state := 'waiting_for_approval';
    END IF;
    -- Of an erasure and another act about the person the second one sees the first.
    IF starts_with(act.owner_id, 'user_') THEN
      PERFORM pg_advisory_xact_lock(hashtextextended('support_acts/' || act.owner_id, 0));
    END IF;
    IF EXISTS (SELECT FROM support_contradicting_act(act)) THEN
      RETURN;
    END IF;
  END IF;
  INSERT INTO support_acts (id, batch_id, finding_id, kind, target_kind, target_id, owner_id, params, reason,
    is_dry_run, requested_by, requested_at, state, next_try_at)
  VALUES (act.id, act.batch_id, act.finding_id, act.kind, act.target_kind, act.target_id, act.owner_id, act.params,
    act.reason, act.is_dry_run, act.requested_by, act.requested_at, act.state, act.next_try_at)
  ON CONFLICT DO NOTHING
  RETURNING * INTO act;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM support_write_step(act, 'requested', act.requested_by, CASE WHEN NOT act.is_dry_run THEN token END,
    CASE WHEN act.is_dry_run THEN 'A dry run' WHEN act.state = 'waiting_for_approval' THEN 'It waits for approval' END);
  RETURN NEXT act;
END
$$;

-- Writes the entry of the audit log for a step of an act, and keeps the token that proves who took it.
CREATE OR REPLACE FUNCTION support_write_step(act support_acts, step text, who text, token text, detail text)
RETURNS void LANGUAGE sql SET search_path = public, pg_temp AS $$
  INSERT INTO audit_log (actor, act_id, what, outcome, target_kind, target_id, owner_id, reason, detail)
  VALUES (who, act.id, act.kind, step, act.target_kind, act.target_id, act.owner_id, act.reason, detail);
  INSERT INTO support_act_tokens (act_id, step, token) SELECT act.id, step, token WHERE token IS NOT NULL;
$$;

-- The same for the server, which has to show the asker's session token. An act from the terminal has none: the
-- server cannot write one.
CREATE OR REPLACE FUNCTION support_request_act(
  asked jsonb, asked_credits bigint, asker_limit bigint, total_limit bigint, token text
) RETURNS SETOF support_acts LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM support_require_person(asked ->> 'requested_by', token);
  RETURN QUERY SELECT * FROM support_write_act(asked, asked_credits, asker_limit, total_limit, token);
END
$$;

CREATE OR REPLACE FUNCTION support_require_person(who text, token text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF token IS NULL OR who IS NULL OR who LIKE 'cli:%' THEN
    RAISE EXCEPTION 'A person has to show their session' USING ERRCODE = 'insufficient_privilege';
  END IF;
END
$$;

-- No row when it did not wait for approval any more, or erases a person whose e-mail address was not typed.
CREATE OR REPLACE FUNCTION support_approve_act(
  act_id uuid, who text, token text, next_try timestamptz, typed_address text DEFAULT NULL
) RETURNS SETOF support_acts LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  act support_acts;
BEGIN
  PERFORM support_require_person(who, token);
  PERFORM pg_advisory_xact_lock('support_acts'::regclass::oid::bigint);
  UPDATE support_acts a SET state = 'queued', approved_by = who, approved_at = clock_timestamp(), next_try_at = next_try
  WHERE a.id = act_id AND a.state = 'waiting_for_approval' AND (a.kind <> 'forget' OR lower(typed_address) =
    (SELECT lower(u.email) FROM users u WHERE u.clerk_id = a.target_id))
  RETURNING * INTO act;
  IF FOUND THEN
    PERFORM support_write_step(act, 'approved', who, token, NULL);
    RETURN NEXT act;
  END IF;
END
$$;

-- No row when it did not wait for approval any more. Nothing is done then, so no token is needed.
CREATE OR REPLACE FUNCTION support_refuse_act(act_id uuid, who text, why text, at timestamptz)
RETURNS SETOF support_acts LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  act support_acts;
BEGIN
  UPDATE support_acts a SET state = 'refused', refused_by = who, error = why, finished_at = at
  WHERE a.id = act_id AND a.state = 'waiting_for_approval' RETURNING * INTO act;
  IF FOUND THEN
    PERFORM support_write_step(act, 'refused', who, NULL, why);
    DELETE FROM support_act_tokens t WHERE t.act_id = act.id;
    RETURN NEXT act;
  END IF;
END
$$;

-- Ends those acts of a batch that have not begun: the worker has an act locked while it does it. Nothing is done,
-- so no token is needed.
CREATE OR REPLACE FUNCTION support_cancel_batch(batch uuid, who text, at timestamptz)
RETURNS SETOF support_acts LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  act support_acts;
BEGIN
  FOR act IN
    UPDATE support_acts SET state = 'cancelled', finished_at = at WHERE id IN (
      SELECT a.id FROM support_acts a
      WHERE a.batch_id = batch AND a.state = 'queued' AND (NOT a.is_dry_run) FOR UPDATE SKIP LOCKED)
    RETURNING *
  LOOP
    PERFORM support_write_step(act, 'cancelled', who, NULL, NULL);
    DELETE FROM support_act_tokens t WHERE t.act_id = act.id;
    RETURN NEXT act;
  END LOOP;
END
$$;

REVOKE ALL ON FUNCTION audit_text_hash, audit_entry_hash, audit_log_chain, audit_log_refuse_change, support_without_texts,
  support_erase_texts, support_acts_guard, support_amount, support_needs_approval, support_passes_ceiling, support_contradicting_act, support_write_act, support_write_step,
  support_require_person, support_request_act, support_approve_act, support_refuse_act, support_cancel_batch
  FROM PUBLIC, tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION support_amount, support_needs_approval TO tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION support_passes_ceiling TO tidemark_worker;
-- The guard runs it as the login that changes an act.
GRANT EXECUTE ON FUNCTION support_without_texts, support_erase_texts TO tidemark_worker;
GRANT EXECUTE ON FUNCTION support_contradicting_act, support_request_act, support_approve_act, support_refuse_act, support_cancel_batch
  TO tidemark_server;

-- Budgets: limits on what is used of an owner's credits in a period.
--   ledger_budget_period   the days of a budget's period
--   ledger_budgets_of      the budgets that a person's spending has to pass, and what is left of each
--   ledger_begin_budget_periods   begins the periods of a moment, to which `ledger_use` adds each usage
--   ledger_tell_budget     what is told of a limit by e-mail
--   ledger_set_budget, ledger_raise_budget, ledger_ask_budget   what admins and members call. The server's.
-- All that writes holds the lock of the owner's row.

-- The first day of the period in which a day lies, and that of the next one, by UTC. A billing month begins with the day on which
-- the owner's latest month of a plan began, and is repeated until the next one begins; without a plan it is a calendar month.
CREATE OR REPLACE FUNCTION ledger_budget_period(owner_id text, period text, today date, OUT starts_on date, OUT ends_on date)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  first date := date_trunc('month', today)::date;
  months integer;
BEGIN
  IF period = 'day' THEN
    starts_on := today;
    ends_on := today + 1;
    RETURN;
  ELSIF period = 'billing_month' THEN
    first := coalesce((SELECT max((g.starts_at AT TIME ZONE 'UTC')::date) FROM ledger_grants g
      WHERE g.owner_id = ledger_budget_period.owner_id AND g.kind = 'month' AND (g.starts_at AT TIME ZONE 'UTC')::date <= today), first);
  END IF;
  months := (extract(year FROM today) - extract(year FROM first)) * 12 + extract(month FROM today) - extract(month FROM first);
  IF first + make_interval(months => months) > today THEN months := months - 1; END IF;
  starts_on := first + make_interval(months => months);
  ends_on := first + make_interval(months => months + 1);
END
$$;

-- The budgets that what a person spends of an owner's credits has to pass at a moment: the owner's, and the person's own or else
-- that of each member. `run` and `run_limit` are those of a hold: a limit of the caller's own on all holds of the person with
-- this run. `left` is below zero after a limit was lowered. `except_hold` is counted as not held.
CREATE OR REPLACE FUNCTION ledger_budgets_of(
  owner_id text, person text, moment timestamptz, run text, run_limit bigint, except_hold uuid
) RETURNS SETOF ledger_budget_left LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  budget ledger_budgets;
  given ledger_budget_left;
BEGIN
  FOR budget IN
    SELECT * FROM ledger_budgets b
    WHERE b.owner_id = ledger_budgets_of.owner_id AND (b.scope IN ('organization', 'own') OR b.user_id = person
      OR b.scope = 'member_default' AND NOT EXISTS (
        SELECT FROM ledger_budgets m WHERE m.owner_id = b.owner_id AND m.scope = 'member' AND m.user_id = person))
  LOOP
    given.budget_id := budget.id;
    given.scope := budget.scope;
    given.period := budget.period;
    given.actor := CASE WHEN budget.scope IN ('organization', 'own') THEN '' ELSE person END;
    SELECT * INTO given.starts_on, given.ends_on
    FROM ledger_budget_period(budget.owner_id, budget.period, (moment AT TIME ZONE 'UTC')::date);
    SELECT p.used, budget.credits + p.extra INTO given.used, given.credits FROM ledger_budget_periods p
    WHERE (p.owner_id, p.actor, p.ends_on, p.budget_id) = (budget.owner_id, given.actor, given.ends_on, budget.id)
      AND p.starts_on = given.starts_on;
    given.is_stored := FOUND;
    IF NOT FOUND THEN
      given.credits := budget.credits;
      given.used := (SELECT coalesce(sum(d.credits), 0) FROM ledger_usage_days d
        WHERE d.owner_id = budget.owner_id AND d.day >= given.starts_on AND d.day < given.ends_on AND given.actor IN ('', d.actor));
    END IF;
    given.held := (SELECT coalesce(sum(h.credits), 0) FROM ledger_holds h
      WHERE h.owner_id = budget.owner_id AND h.state = 'open' AND h.expires_at > moment AND given.actor IN ('', h.actor)
        AND (h.opened_at AT TIME ZONE 'UTC')::date >= given.starts_on AND (h.opened_at AT TIME ZONE 'UTC')::date < given.ends_on
        AND h.id IS DISTINCT FROM except_hold);
    given.left := given.credits - given.used - given.held;
    RETURN NEXT given;
  END LOOP;
  IF run_limit IS NOT NULL THEN
    given := ROW(NULL, 'run', NULL, person, NULL, NULL, ledger_budgets_of.run_limit, 0, 0, 0, true);
    SELECT coalesce(sum(h.charged), 0), coalesce(sum(h.credits) FILTER (WHERE h.state = 'open' AND h.expires_at > moment), 0)
    INTO given.used, given.held FROM ledger_holds h
    WHERE h.owner_id = ledger_budgets_of.owner_id AND h.actor = person AND h.run = ledger_budgets_of.run
      AND h.id IS DISTINCT FROM except_hold;
    given.left := given.credits - given.used - given.held;
    RETURN NEXT given;
  END IF;
END
$$;

-- Begins the periods of a moment that have no row yet, with what was used in them so far. A billing month that begins later and
-- ends on the same day, at a short month's end, takes the row of the one before.
CREATE OR REPLACE PROCEDURE ledger_begin_budget_periods(owner_id text, person text, moment timestamptz) LANGUAGE sql AS $$
  INSERT INTO ledger_budget_periods (owner_id, budget_id, actor, starts_on, ends_on, used, used_before)
  SELECT m.owner_id, m.id, b.actor, b.starts_on, b.ends_on, b.used,
    CASE WHEN (m.made_at AT TIME ZONE 'UTC')::date >= b.starts_on THEN b.used ELSE 0 END
  FROM ledger_budgets_of(ledger_begin_budget_periods.owner_id, person, moment, NULL, NULL, NULL) b
  JOIN ledger_budgets m ON m.owner_id = ledger_begin_budget_periods.owner_id AND m.id = b.budget_id
  WHERE NOT b.is_stored
  ON CONFLICT (owner_id, actor, ends_on, budget_id) DO UPDATE SET starts_on = EXCLUDED.starts_on, used = EXCLUDED.used,
    used_before = EXCLUDED.used_before, extra = 0
$$;

-- Tells by e-mail that a usage has reached 80 or 100 percent of a limit, once in its period: the person whose spending it limits,
-- or else who manages the owner's. A trigger, so that usage that no limit counts pays nothing for it.
CREATE OR REPLACE FUNCTION ledger_tell_budget() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM mails_tell('budget', b.owner_id, nullif(NEW.actor, ''), concat_ws('/', b.id, NEW.actor, NEW.ends_on, percent),
    jsonb_build_object('percent', percent, 'limit', b.credits + NEW.extra, 'scope', b.scope, 'resets_on', NEW.ends_on))
  FROM ledger_budgets b, unnest(ARRAY[80, 100]) percent
  WHERE (b.owner_id, b.id) = (NEW.owner_id, NEW.budget_id)
    AND (b.credits + NEW.extra) * percent BETWEEN OLD.used * 100 + 1 AND NEW.used * 100
    -- The days of a calendar month count on after a plan's month has begun in it.
    AND NOT EXISTS (SELECT FROM ledger_budget_periods later WHERE (later.owner_id, later.budget_id, later.actor)
      = (NEW.owner_id, NEW.budget_id, NEW.actor) AND later.starts_on > NEW.starts_on);
  RETURN NULL;
END
$$;

-- Sets a limit, or removes it when `credits` is NULL. Its periods go with another length, and what it was raised by in them when
-- it is lowered. Returns the limit before.
CREATE OR REPLACE FUNCTION ledger_set_budget(
  owner_id text, scope text, user_id text, credits bigint, period text, set_by text, moment timestamptz
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  before ledger_budgets;
BEGIN
  PERFORM ledger_lock_owners(ARRAY[ledger_set_budget.owner_id]);
  SELECT * INTO before FROM ledger_budgets b
  WHERE b.owner_id = ledger_set_budget.owner_id AND b.scope = ledger_set_budget.scope
    AND b.user_id IS NOT DISTINCT FROM ledger_set_budget.user_id;
  IF ledger_set_budget.credits IS NULL OR before.period <> ledger_set_budget.period THEN
    DELETE FROM ledger_budgets b WHERE b.owner_id = before.owner_id AND b.id = before.id;
  END IF;
  IF ledger_set_budget.credits IS NOT NULL THEN
    INSERT INTO ledger_budgets AS b (owner_id, scope, user_id, credits, period, made_at, set_by)
    VALUES (owner_id, scope, user_id, credits, period, moment, set_by)
    ON CONFLICT (owner_id, scope, user_id) DO UPDATE SET credits = EXCLUDED.credits, set_by = EXCLUDED.set_by;
    UPDATE ledger_budget_periods p SET asked_by = NULL, asked_at = NULL
    WHERE p.owner_id = before.owner_id AND p.budget_id = before.id AND ledger_set_budget.credits > before.credits;
    UPDATE ledger_budget_periods p SET extra = 0
    WHERE p.owner_id = before.owner_id AND p.budget_id = before.id AND ledger_set_budget.credits < before.credits;
  END IF;
  RETURN before.credits;
END
$$;

-- Raises a limit to so many credits for the period of a moment alone; without `credits` it writes down that the person asks for
-- more. Returns whether that changed anything.
CREATE OR REPLACE FUNCTION ledger_change_budget_period(owner_id text, budget_id uuid, person text, credits bigint, moment timestamptz)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  changed boolean;
BEGIN
  PERFORM ledger_lock_owners(ARRAY[ledger_change_budget_period.owner_id]);
  CALL ledger_begin_budget_periods(ledger_change_budget_period.owner_id, person, moment);
  UPDATE ledger_budget_periods p
  SET extra = CASE WHEN raised.credits IS NULL THEN p.extra ELSE raised.credits - b.credits END,
    asked_by = CASE WHEN raised.credits IS NULL THEN person END, asked_at = CASE WHEN raised.credits IS NULL THEN moment END
  FROM ledger_budgets b, (SELECT ledger_change_budget_period.credits) raised (credits)
  WHERE (p.owner_id, p.budget_id) = (ledger_change_budget_period.owner_id, ledger_change_budget_period.budget_id)
    AND (b.owner_id, b.id) = (p.owner_id, p.budget_id) AND p.actor IN ('', person)
    AND (p.starts_on, p.ends_on) = (SELECT * FROM ledger_budget_period(b.owner_id, b.period, (moment AT TIME ZONE 'UTC')::date))
    AND CASE WHEN raised.credits IS NULL THEN p.asked_at IS NULL ELSE raised.credits > b.credits + p.extra END
  RETURNING true INTO changed;
  RETURN coalesce(changed, false);
END
$$;

REVOKE ALL ON ROUTINE ledger_budget_period, ledger_budgets_of, ledger_begin_budget_periods, ledger_tell_budget,
  ledger_set_budget, ledger_change_budget_period FROM PUBLIC, tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION ledger_budget_period, ledger_budgets_of, ledger_set_budget, ledger_change_budget_period TO tidemark_server;
GRANT EXECUTE ON FUNCTION ledger_budget_period, ledger_budgets_of TO tidemark_worker;

-- Budgets: limits on what is used of an owner's credits in a period.
--   ledger_budget_period   the days of a budget's period
--   ledger_budgets_of      the budgets that a person's spending has to pass, and what is left of each
--   ledger_count_budgets   adds a usage to them, or writes down what one of them refused
--   ledger_set_budget, ledger_raise_budget, ledger_ask_budget   what admins and members call. The server's.
-- All that writes holds the lock of the owner's row.

-- The days of the period in which a moment lies, by UTC. A billing month begins with the day on which the owner's latest month
-- of a plan began, and is repeated until the next one begins; without a plan it is a calendar month.
CREATE OR REPLACE FUNCTION ledger_budget_period(owner_id text, period text, moment timestamptz, OUT starts_on date, OUT ends_on date)
LANGUAGE sql STABLE AS $$
  SELECT CASE period WHEN 'day' THEN today ELSE (first + make_interval(months => passed))::date END,
    CASE period WHEN 'day' THEN today + 1 ELSE (first + make_interval(months => passed + 1))::date END
  FROM (SELECT (moment AT TIME ZONE 'UTC')::date AS today) now
  CROSS JOIN LATERAL (SELECT coalesce(CASE period WHEN 'billing_month' THEN (
      SELECT (max(g.starts_at) AT TIME ZONE 'UTC')::date FROM ledger_grants g
      WHERE g.owner_id = ledger_budget_period.owner_id AND g.kind = 'month' AND g.starts_at <= moment) END,
    date_trunc('month', today)::date) AS first) anchor
  CROSS JOIN LATERAL (SELECT (extract(year FROM today) - extract(year FROM first)) * 12
    + extract(month FROM today) - extract(month FROM first) AS months) calendar
  CROSS JOIN LATERAL (SELECT months::integer - CASE WHEN first + make_interval(months => months::integer) > today THEN 1 ELSE 0 END
    AS passed) whole
$$;

-- The budgets that what a person spends of an owner's credits has to pass at a moment: the owner's, and the person's own or else
-- that of each member. `run` and `run_limit` are those of a hold: a limit of the caller's own on all holds of the person with
-- this run. `left` is below zero after a limit was lowered. `except_hold` is counted as not held.
CREATE OR REPLACE FUNCTION ledger_budgets_of(
  owner_id text, person text, moment timestamptz, run text, run_limit bigint, except_hold uuid
) RETURNS TABLE (
  budget_id uuid, scope text, period text, actor text, starts_on date, ends_on date, credits bigint, used bigint, held bigint,
  "left" bigint, is_stored boolean
) LANGUAGE sql STABLE AS $$
  SELECT given.*, given.credits - given.used - given.held, false FROM (
    SELECT NULL::uuid, 'run', NULL, person, NULL::date, NULL::date, ledger_budgets_of.run_limit AS credits,
      coalesce(sum(h.charged), 0)::bigint AS used,
      coalesce(sum(h.credits) FILTER (WHERE h.state = 'open' AND h.expires_at > moment), 0)::bigint AS held
    FROM ledger_holds h
    WHERE h.owner_id = ledger_budgets_of.owner_id AND h.actor = person AND h.run = ledger_budgets_of.run
      AND h.id IS DISTINCT FROM except_hold
  ) given WHERE given.credits IS NOT NULL
  UNION ALL
  SELECT b.id, b.scope, b.period, who.actor, days.starts_on, days.ends_on, limited.credits, counted.used, reserved.held,
    limited.credits - counted.used - reserved.held, p.owner_id IS NOT NULL
  FROM ledger_budgets b
  CROSS JOIN LATERAL (SELECT CASE WHEN b.scope IN ('organization', 'own') THEN '' ELSE person END AS actor) who
  CROSS JOIN LATERAL ledger_budget_period(b.owner_id, b.period, moment) days
  LEFT JOIN ledger_budget_periods p ON (p.owner_id, p.budget_id, p.actor, p.starts_on) = (b.owner_id, b.id, who.actor, days.starts_on)
  CROSS JOIN LATERAL (SELECT b.credits + coalesce(p.extra, 0) AS credits) limited
  CROSS JOIN LATERAL (SELECT coalesce(p.used, (
    SELECT sum(d.credits)::bigint FROM ledger_usage_days d
    WHERE d.owner_id = b.owner_id AND d.day >= days.starts_on AND d.day < days.ends_on AND who.actor IN ('', d.actor)), 0) AS used) counted
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(h.credits), 0)::bigint AS held FROM ledger_holds h
    WHERE h.owner_id = b.owner_id AND h.state = 'open' AND h.expires_at > moment AND who.actor IN ('', h.actor)
      AND (h.opened_at AT TIME ZONE 'UTC')::date BETWEEN days.starts_on AND days.ends_on - 1
      AND h.id IS DISTINCT FROM except_hold) reserved
  WHERE b.owner_id = ledger_budgets_of.owner_id AND (b.scope IN ('organization', 'own') OR b.user_id = person
    OR b.scope = 'member_default' AND NOT EXISTS (
      SELECT FROM ledger_budgets m WHERE m.owner_id = b.owner_id AND m.user_id = person))
$$;

-- Adds credits that a person has used to all periods of their day. A period that has no row yet gets one with what was used in
-- it so far, this usage included.
CREATE OR REPLACE PROCEDURE ledger_count_budgets(owner_id text, person text, moment timestamptz, credits bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  UPDATE ledger_budget_periods p SET used = p.used + ledger_count_budgets.credits
  WHERE p.owner_id = ledger_count_budgets.owner_id AND p.actor IN ('', person)
    AND (moment AT TIME ZONE 'UTC')::date BETWEEN p.starts_on AND p.ends_on - 1;
  INSERT INTO ledger_budget_periods (owner_id, budget_id, actor, starts_on, ends_on, used, used_before)
  SELECT ledger_count_budgets.owner_id, b.budget_id, b.actor, b.starts_on, b.ends_on, b.used,
    CASE WHEN made.at >= b.starts_on THEN b.used - ledger_count_budgets.credits ELSE 0 END
  FROM ledger_budgets_of(ledger_count_budgets.owner_id, person, moment, NULL, NULL, NULL) b
  CROSS JOIN LATERAL (SELECT (m.made_at AT TIME ZONE 'UTC')::date AS at FROM ledger_budgets m
    WHERE m.owner_id = ledger_count_budgets.owner_id AND m.id = b.budget_id) made
  WHERE NOT b.is_stored;
END
$$;

-- Sets a limit, or removes it when `credits` is NULL. Its periods go with another length. Returns the limit before.
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
  END IF;
  RETURN before.credits;
END
$$;

-- Writes down in its period that a budget refused so many credits.
CREATE OR REPLACE PROCEDURE ledger_refuse_by_budget(owner_id text, budget_id uuid, person text, moment timestamptz, credits bigint)
LANGUAGE plpgsql AS $$
BEGIN
  CALL ledger_count_budgets(ledger_refuse_by_budget.owner_id, person, moment, 0);
  UPDATE ledger_budget_periods p
  SET refused = p.refused + 1, refused_at = moment, refused_actor = person, refused_credits = ledger_refuse_by_budget.credits
  WHERE p.owner_id = ledger_refuse_by_budget.owner_id AND p.budget_id = ledger_refuse_by_budget.budget_id AND p.actor IN ('', person)
    AND (moment AT TIME ZONE 'UTC')::date BETWEEN p.starts_on AND p.ends_on - 1;
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
  CALL ledger_count_budgets(ledger_change_budget_period.owner_id, person, moment, 0);
  UPDATE ledger_budget_periods p
  SET extra = CASE WHEN raised.credits IS NULL THEN p.extra ELSE raised.credits - b.credits END,
    asked_by = CASE WHEN raised.credits IS NULL THEN person END, asked_at = CASE WHEN raised.credits IS NULL THEN moment END
  FROM ledger_budgets b, (SELECT ledger_change_budget_period.credits) raised (credits)
  WHERE (p.owner_id, p.budget_id) = (ledger_change_budget_period.owner_id, ledger_change_budget_period.budget_id)
    AND (b.owner_id, b.id) = (p.owner_id, p.budget_id) AND p.actor IN ('', person)
    AND (moment AT TIME ZONE 'UTC')::date BETWEEN p.starts_on AND p.ends_on - 1
    AND CASE WHEN raised.credits IS NULL THEN p.asked_at IS NULL ELSE raised.credits > b.credits + p.extra END
  RETURNING true INTO changed;
  RETURN coalesce(changed, false);
END
$$;

REVOKE ALL ON ROUTINE ledger_budget_period, ledger_budgets_of, ledger_count_budgets, ledger_refuse_by_budget, ledger_set_budget,
  ledger_change_budget_period FROM PUBLIC, tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION ledger_budget_period, ledger_budgets_of, ledger_set_budget, ledger_change_budget_period TO tidemark_server;
GRANT EXECUTE ON FUNCTION ledger_budget_period, ledger_budgets_of TO tidemark_worker;

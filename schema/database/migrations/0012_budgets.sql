-- Limits that an organization, or a person for oneself, sets on what is used of their credits.

CREATE TABLE ledger_budgets (
  owner_id owner_id NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  -- `organization` and `own`: what all use of this balance. `member`: what one person uses of it, which takes the place
  -- of `member_default`: what each person uses of it.
  scope text NOT NULL CHECK (scope IN ('organization', 'own', 'member', 'member_default')),
  user_id text,
  credits bigint NOT NULL CHECK (credits BETWEEN 0 AND 1000000000000),
  period text NOT NULL CHECK (period IN ('day', 'month', 'billing_month')),
  -- By the product's clock.
  made_at timestamptz NOT NULL,
  set_by text NOT NULL,
  PRIMARY KEY (owner_id, id),
  UNIQUE NULLS NOT DISTINCT (owner_id, scope, user_id),
  CHECK ((scope = 'member') = (user_id IS NOT NULL)),
  CHECK ((scope = 'own') = starts_with(owner_id, 'user_'))
);
GRANT SELECT ON ledger_budgets TO tidemark_server, tidemark_worker;

-- What was used in a period of a budget: the sum of ledger_usage_days over its days, which begin at midnight UTC. Written with
-- the usage, by the same statement; without it each call would add up to 31,000 rows of a month.
CREATE TABLE ledger_budget_periods (
  owner_id owner_id NOT NULL,
  budget_id uuid NOT NULL,
  -- The person; empty for all together.
  actor text NOT NULL,
  starts_on date NOT NULL,
  ends_on date NOT NULL CHECK (ends_on > starts_on),
  used bigint NOT NULL CHECK (used >= 0),
  -- What of it was used before the budget was made.
  used_before bigint NOT NULL CHECK (used_before >= 0),
  -- By how much an admin raised the limit for this period alone.
  extra bigint NOT NULL DEFAULT 0 CHECK (extra BETWEEN 0 AND 1000000000000),
  -- What it refused last, for support and admins.
  refused integer NOT NULL DEFAULT 0,
  refused_at timestamptz,
  refused_actor text,
  refused_credits bigint,
  -- The first person who asked for more since the limit was last raised.
  asked_by text,
  asked_at timestamptz,
  PRIMARY KEY (owner_id, actor, ends_on, budget_id),
  FOREIGN KEY (owner_id, budget_id) REFERENCES ledger_budgets (owner_id, id) ON DELETE CASCADE
) WITH (fillfactor = 50);
-- What is left of a budget in a period.
CREATE TYPE ledger_budget_left AS (
  budget_id uuid, scope text, period text, actor text, starts_on date, ends_on date, credits bigint, used bigint, held bigint,
  "left" bigint, is_stored boolean
);
GRANT SELECT ON ledger_budget_periods TO tidemark_server, tidemark_worker;

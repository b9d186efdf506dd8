-- Credits that are reserved for a request, until it is settled with what it cost. A hold has no transfer and no
-- entry; its settlement is a usage with the key `hold/<id>`.
ALTER TABLE ledger_owners
  -- Credits of open holds.
  ADD COLUMN held bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
  -- Credits of the plan account that are of months that are over, and are kept for their open holds.
  ADD COLUMN kept bigint NOT NULL DEFAULT 0 CHECK (kept >= 0),
  -- Those of them that no open hold needs any more, until the worker lets them expire.
  ADD COLUMN expiring bigint NOT NULL DEFAULT 0 CHECK (expiring BETWEEN 0 AND kept);

-- Months that are over, but stay open until the holds that were opened in them are resolved.
CREATE TABLE ledger_months_kept (
  owner_id owner_id NOT NULL,
  stripe_subscription_id text NOT NULL,
  month_starts_at timestamptz NOT NULL,
  -- Plan credits that were used in it until now.
  used bigint NOT NULL CHECK (used >= 0),
  -- What is left of it for its open holds.
  kept bigint NOT NULL CHECK (kept >= 0),
  -- Credits of its open holds.
  held bigint NOT NULL CHECK (held >= 0),
  PRIMARY KEY (owner_id, stripe_subscription_id, month_starts_at)
);

CREATE TABLE ledger_holds (
  owner_id owner_id NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  -- `refund`: credits that a refund of unused credits keeps from being used meanwhile; it does not expire.
  kind text NOT NULL DEFAULT 'usage' CHECK (kind IN ('usage', 'refund')),
  -- The caller's, as of a usage.
  idempotency_key text NOT NULL,
  -- The person that it is for, who alone may settle it.
  actor text NOT NULL,
  token_id uuid,
  asked bigint NOT NULL CHECK (asked > 0),
  at_least bigint CHECK (at_least BETWEEN 1 AND asked),
  -- What was reserved.
  credits bigint NOT NULL CHECK (credits BETWEEN 1 AND asked),
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'settled', 'released', 'expired', 'settled_late')),
  opened_at timestamptz NOT NULL,
  expires_at timestamptz,
  resolved_at timestamptz,
  -- Its month, from when that is over until the hold is resolved: a row of ledger_months_kept.
  stripe_subscription_id text,
  month_starts_at timestamptz,
  -- What its settlement asked for, and what became of that. The rest is uncollected.
  settled_credits bigint CHECK (settled_credits >= 0),
  failure usage_failure,
  charged bigint CHECK (charged BETWEEN 0 AND settled_credits),
  reason text,
  model usage_label,
  project usage_label,
  run usage_label,
  -- A call names a hold by its id alone.
  PRIMARY KEY (id, owner_id),
  UNIQUE (owner_id, idempotency_key),
  CONSTRAINT ledger_holds_expires CHECK ((kind = 'refund') = (expires_at IS NULL)),
  CONSTRAINT ledger_holds_resolved CHECK ((state = 'open') = (resolved_at IS NULL)),
  CONSTRAINT ledger_holds_settled CHECK ((state IN ('settled', 'settled_late')) = (settled_credits IS NOT NULL)
    AND (settled_credits IS NULL) = (charged IS NULL) AND (failure IS NULL OR settled_credits = 0)),
  CONSTRAINT ledger_holds_month CHECK ((stripe_subscription_id IS NULL) = (month_starts_at IS NULL))
);
CREATE INDEX ledger_holds_open ON ledger_holds (owner_id, actor) WHERE state = 'open';
-- NOT NULL keeps Postgres from looking for an owner's holds in it.
CREATE INDEX ledger_holds_expiry ON ledger_holds (expires_at) WHERE state = 'open' AND expires_at IS NOT NULL;
-- What the daily statement sums.
CREATE INDEX ledger_holds_uncollected ON ledger_holds (resolved_at) WHERE charged < settled_credits;

GRANT SELECT ON ledger_holds, ledger_months_kept TO tidemark_server, tidemark_worker;

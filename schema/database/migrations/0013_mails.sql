-- News that is told by e-mail, a row for each recipient. The letter is made when it is sent: no name and no address is kept.
CREATE TABLE mails (
  -- Whoever knows it unsubscribes its recipient: it is in the letter's link only.
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  kind text NOT NULL CHECK (kind IN ('balance_low', 'budget', 'payment_declined', 'confirmation_needed', 'card_expires', 'no_team')),
  owner_id owner_id NOT NULL,
  user_id text NOT NULL,
  -- What there is one mail about: a day, a period and its threshold, an invoice, a card, a payment.
  occasion text NOT NULL,
  figures jsonb NOT NULL,
  state text NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'sent', 'failed')),
  failure text,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- At first due by any clock.
  next_try_at timestamptz NOT NULL DEFAULT 'epoch',
  claims integer NOT NULL DEFAULT 0,
  PRIMARY KEY (owner_id, id),
  UNIQUE (owner_id, kind, occasion, user_id)
);
CREATE INDEX mails_due ON mails (next_try_at) WHERE state = 'due';
GRANT SELECT ON mails TO tidemark_server;
GRANT SELECT, INSERT, UPDATE, DELETE ON mails TO tidemark_worker;

-- The owners, the person or organizations, about whom a person wants no mail.
ALTER TABLE users ADD COLUMN no_mail_of text[] NOT NULL DEFAULT '{}';
GRANT UPDATE (no_mail_of) ON users TO tidemark_server;

CREATE FUNCTION ledger_tell_budget() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE TRIGGER ledger_budget_periods_told AFTER UPDATE OF used ON ledger_budget_periods
  FOR EACH ROW WHEN (NEW.used > OLD.used) EXECUTE FUNCTION ledger_tell_budget();

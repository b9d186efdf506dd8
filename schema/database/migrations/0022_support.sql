-- What support staff read (decisions 104 and 105): all that belongs to one owner, and all that needs a person, without reading the rows of
-- others.

-- Whom an event is about, as its sender names them: for Stripe the customer, where the object has none the charge or the checkout; for
-- Clerk the organization, else the user. It stays when the payload is removed.
ALTER TABLE inbox_events ADD COLUMN subject text CHECK (length(subject) BETWEEN 1 AND 255);
GRANT INSERT (subject) ON inbox_events TO tidemark_server;
-- As schema/inbox/subject.ts does it from now on. Stripe may have put the whole object in place of its id.
UPDATE inbox_events e SET subject = found.subject
FROM (
  SELECT source, id, CASE source
    WHEN 'clerk' THEN coalesce(
      payload #>> '{data,organization,id}', payload #>> '{data,organization_id}', payload #>> '{data,id}')
    ELSE coalesce(
      payload #>> '{data,object,customer,id}', payload #>> '{data,object,customer}',
      payload #>> '{data,object,charge,id}', payload #>> '{data,object,charge}',
      payload #>> '{data,object,client_reference_id}')
    END AS subject
  FROM inbox_events WHERE payload IS NOT NULL
) found
WHERE e.source = found.source AND e.id = found.id AND found.subject ~ '^[\w-]{1,255}$';
CREATE INDEX inbox_events_subject ON inbox_events (subject, received_at) WHERE subject IS NOT NULL;
CREATE INDEX inbox_events_ignored ON inbox_events (received_at) WHERE state = 'ignored';

-- Failed tries of a row, one line for each error that came again and again.
CREATE TABLE failed_tries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  table_name text NOT NULL CHECK (table_name IN (
    'inbox_events', 'checkout_intents', 'subscriptions', 'team_invitations', 'support_acts')),
  row_id text NOT NULL CHECK (length(row_id) BETWEEN 1 AND 255),
  -- Whom it was about: the subject of an event, the owner of everything else.
  subject text CHECK (length(subject) BETWEEN 1 AND 255),
  -- As worker/failures.ts tells failures apart.
  kind text NOT NULL CHECK (kind IN ('unavailable', 'not_yet', 'contradiction', 'defect')),
  error text NOT NULL,
  tries integer NOT NULL DEFAULT 1 CHECK (tries > 0),
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL CHECK (last_at >= first_at)
);
CREATE INDEX failed_tries_row ON failed_tries (row_id, id);
CREATE INDEX failed_tries_subject ON failed_tries (subject, first_at) WHERE subject IS NOT NULL;
CREATE INDEX failed_tries_old ON failed_tries (last_at);
GRANT SELECT ON failed_tries TO tidemark_server;
GRANT SELECT, INSERT, UPDATE, DELETE ON failed_tries TO tidemark_worker;

-- Who of the support staff has which case open.
CREATE TABLE support_visits (
  owner_id text NOT NULL CHECK (length(owner_id) BETWEEN 1 AND 64),
  user_id text NOT NULL CHECK (length(user_id) BETWEEN 1 AND 64),
  began_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (owner_id, user_id)
);
CREATE INDEX support_visits_old ON support_visits (seen_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON support_visits TO tidemark_server;

-- What needs a person, the oldest first. A checkout without a session, or whose bank refused, needs nobody.
CREATE INDEX checkout_intents_failed ON checkout_intents (created_at)
  WHERE state = 'failed' AND stripe_session_id IS NOT NULL
    AND failure_reason NOT IN ('The payment failed', 'The first payment failed');
CREATE INDEX checkout_intents_stuck ON checkout_intents (created_at)
  WHERE state IN ('created', 'open', 'awaiting_payment') AND last_error IS NOT NULL;
CREATE INDEX subscriptions_stuck ON subscriptions (created_at)
  WHERE status NOT IN ('canceled', 'incomplete_expired') AND sync_failed_at IS NULL AND last_error IS NOT NULL;
CREATE INDEX team_invitations_stuck ON team_invitations (created_at)
  WHERE sweep_at IS NOT NULL AND sync_failed_at IS NULL AND last_error IS NOT NULL;

-- A search by an e-mail address.
CREATE INDEX seats_email ON seats (email);
CREATE INDEX team_invitations_email ON team_invitations (email);

-- The server says what should be in the books beside what is. It reads them and cannot write them.
GRANT EXECUTE ON FUNCTION ledger_books TO tidemark_server;

-- Every signed event as it came. A row that is `received` still has to be applied; the queue only says so sooner.
CREATE TABLE inbox_events (
  source text NOT NULL CHECK (source IN ('stripe', 'clerk')),
  id text NOT NULL CHECK (length(id) BETWEEN 1 AND 255),
  type text NOT NULL,
  payload jsonb NOT NULL,
  occurred_at timestamptz NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  state text NOT NULL DEFAULT 'received' CHECK (state IN ('received', 'applied', 'ignored', 'failed')),
  reason text,
  settled_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  sweep_at timestamptz NOT NULL DEFAULT now(),
  sweeps integer NOT NULL DEFAULT 0,
  PRIMARY KEY (source, id),
  CHECK ((state = 'received') = (settled_at IS NULL)),
  CHECK (state NOT IN ('ignored', 'failed') OR reason IS NOT NULL)
);

CREATE INDEX inbox_events_sweep ON inbox_events (sweep_at) WHERE state = 'received';
CREATE INDEX inbox_events_failed ON inbox_events (received_at) WHERE state = 'failed';

GRANT SELECT, INSERT ON inbox_events TO tidemark_server;
GRANT SELECT, UPDATE ON inbox_events TO tidemark_worker;

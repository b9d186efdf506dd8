-- Months of the ledger can leave it: what the books go on from without them is kept here, and
-- nothing that decides reads below `ledger_archives.end_transfer_id` any more, whether the months are
-- detached yet or not. One row for each range of months that left, from the oldest on, without gaps. `npm run
-- ledger:archive` writes it and goes on from `state`.
CREATE TABLE ledger_archives (
  id bigint PRIMARY KEY,
  -- Its transfers: first_transfer_id <= id < end_transfer_id.
  first_transfer_id bigint NOT NULL UNIQUE,
  end_transfer_id bigint NOT NULL UNIQUE,
  -- As its partitions are named, 2025_01 after ledger_entries_.
  months text[] NOT NULL CHECK (cardinality(months) > 0),
  state text NOT NULL DEFAULT 'closed' CHECK (state IN ('closed', 'written', 'detached', 'finished')),
  transfers bigint NOT NULL,
  entries bigint NOT NULL,
  -- In ledger_keys, where they stay.
  keys bigint NOT NULL,
  -- Over the latest entry of each account before the range and at its end, as in ledger_proofs; and over what
  -- is kept of it in the two tables below.
  heads_digest_before bytea NOT NULL CHECK (length(heads_digest_before) = 32),
  heads_digest bytea NOT NULL CHECK (length(heads_digest) = 32),
  kept_digest bytea NOT NULL CHECK (length(kept_digest) = 32),
  -- SHA-256 of the manifest, which names the files. There from state `written` on.
  manifest_digest bytea CHECK (length(manifest_digest) = 32),
  closed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz,
  CHECK (first_transfer_id < end_transfer_id),
  CHECK (state = 'closed' OR manifest_digest IS NOT NULL),
  CHECK ((state = 'finished') = (finished_at IS NOT NULL))
);
CREATE UNIQUE INDEX ledger_archives_unfinished ON ledger_archives ((true)) WHERE state <> 'finished';
GRANT SELECT ON ledger_archives TO tidemark_server, tidemark_worker;

-- The last entry of an account in a range. The chain of what was posted afterwards begins at the account's
-- latest opening.
CREATE TABLE ledger_openings (
  owner_id text NOT NULL,
  account_id bigint NOT NULL,
  archive_id bigint NOT NULL,
  transfer_id bigint NOT NULL,
  version bigint NOT NULL,
  balance bigint NOT NULL,
  hash bytea NOT NULL CHECK (length(hash) = 32),
  -- All that was used from the account up to there, above zero.
  used bigint NOT NULL,
  PRIMARY KEY (owner_id, account_id, archive_id)
);
GRANT SELECT ON ledger_openings TO tidemark_server, tidemark_worker;

-- What the transfers of a grant in a range come to, in the grant's account. `ledger_grant_sums` adds it.
CREATE TABLE ledger_archived_sums (
  owner_id text NOT NULL,
  grant_id text NOT NULL,
  archive_id bigint NOT NULL,
  account_id bigint NOT NULL,
  gross bigint NOT NULL,
  refunded bigint NOT NULL,
  disputed bigint NOT NULL,
  expired bigint NOT NULL,
  written_off bigint NOT NULL,
  adjusted bigint NOT NULL,
  transfers bigint NOT NULL,
  PRIMARY KEY (owner_id, grant_id, archive_id)
);
GRANT SELECT ON ledger_archived_sums TO tidemark_server, tidemark_worker;

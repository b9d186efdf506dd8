-- When the whole database was backed up: written by the backup service, so that its age can be measured.
CREATE TABLE base_backups (
  finished_at timestamptz PRIMARY KEY,
  -- Of what is kept.
  bytes bigint NOT NULL CHECK (bytes > 0)
);
GRANT SELECT ON base_backups TO tidemark_server;

-- Writes down that the whole database was backed up; of what is kept, in bytes. Called by scripts/backup.sh,
-- with the login that owns the tables.
CREATE OR REPLACE FUNCTION record_base_backup(bytes bigint) RETURNS void LANGUAGE sql AS $$
  INSERT INTO base_backups (finished_at, bytes) VALUES (now(), bytes)
$$;

REVOKE ALL ON FUNCTION record_base_backup FROM PUBLIC, tidemark_server, tidemark_worker;

-- A group role for each process: the migrations that follow grant its rights, table by table.
-- Roles belong to the whole cluster, so several databases (and several test runs) may race to create them.
DO $$
DECLARE
  role_name text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['tidemark_server', 'tidemark_worker'] LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL;
    END;
    -- The login that migrates is usually the one the processes use; it must be able to take on their role.
    IF NOT pg_has_role(current_user, role_name, 'MEMBER') THEN
      EXECUTE format('GRANT %I TO %I', role_name, current_user);
    END IF;
  END LOOP;
END
$$;

GRANT USAGE ON SCHEMA public TO tidemark_server, tidemark_worker;

-- The text that each file of `functions/` had when it was last applied.
CREATE TABLE function_files (
  name text PRIMARY KEY,
  sha256 text NOT NULL
);

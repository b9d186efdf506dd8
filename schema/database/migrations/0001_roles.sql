-- A group role for each process. The files that follow grant its rights, table by table; those of functions are
-- in `functions/`, where each function that a trigger names has its body.
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
    -- The login that migrates must be able to take on their roles, for `npm run support`. From Postgres 16 on a
    -- login that may create roles is a member of what it made, but may not take it on
    -- (https://www.postgresql.org/docs/16/runtime-config-client.html#GUC-CREATEROLE-SELF-GRANT).
    IF NOT pg_has_role(current_user, role_name, CASE WHEN current_setting('server_version_num')::integer < 160000 THEN 'MEMBER' ELSE 'SET' END) THEN
      EXECUTE format('GRANT %I TO %I', role_name, current_user);
    END IF;
  END LOOP;
END
$$;

-- The migrator makes this table. `npm run doctor` reads it with the login of a process.
GRANT SELECT ON migrations TO tidemark_server, tidemark_worker;
GRANT USAGE ON SCHEMA public TO tidemark_server, tidemark_worker;

-- Whether the process of this session has a live key of Stripe: rows of the other mode are not used (decision
-- 073).
CREATE OR REPLACE FUNCTION stripe_livemode() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce(nullif(current_setting('tidemark.livemode', true), ''), 'off')::boolean
$$;

REVOKE ALL ON FUNCTION stripe_livemode FROM PUBLIC, tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION stripe_livemode TO tidemark_server, tidemark_worker;

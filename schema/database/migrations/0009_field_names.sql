-- What was fetched from Stripe or Clerk is a snapshot, and one sequence numbers them all. It goes on above both old ones, so that
-- the next snapshot is newer than every one that is stored.
--
-- The queue `subscription-looks` is called `subscription-syncs` from here on. Jobs that are left in the old queue are never run,
-- and nothing is lost by it: they only announced rows, which the sweep finds by `sweep_at`.
ALTER TABLE subscriptions RENAME COLUMN fetch_order TO snapshot_order;
ALTER TABLE clawbacks RENAME COLUMN fetch_order TO snapshot_order;
ALTER TABLE organization_members RENAME COLUMN look_order TO snapshot_order;

ALTER SEQUENCE stripe_fetches RENAME TO snapshot_orders;
SELECT setval('snapshot_orders', greatest(snapshot_orders.last_value, clerk_looks.last_value)) FROM snapshot_orders, clerk_looks;
DROP SEQUENCE clerk_looks;
GRANT USAGE ON SEQUENCE snapshot_orders TO tidemark_server;

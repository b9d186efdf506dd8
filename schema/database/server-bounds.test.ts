import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { buildUser } from '../../tests/support/factories/users.ts'

const database = testDatabase()
const user = (at: string) =>
  `INSERT INTO users (clerk_id, email, profile_updated_at) VALUES ('user_new', '', ${at})`
const member = (order: string, role = 'admin') =>
  `INSERT INTO organization_members VALUES ('org_x', 'user_x', '${role}', ${order})`
const invitation = (expires: string, next = 'now()', status = 'pending') =>
  `INSERT INTO team_invitations (id, organization_id, subscription_id, email, role, status, expires_at, next_try_at)
   VALUES (gen_random_uuid(), 'org_x', 'sub_x', 'a@b.c', 'admin', '${status}', ${expires}, ${next})`
const seat = (more: string, values: string) =>
  `INSERT INTO seats (organization_id, email, user_id, role${more}) VALUES ('org_x', 'a@b.c', 'user_x', 'admin'${values})`

test.each([
  ['a profile of next week', user("now() + interval '7 days'")],
  ['a profile of the next century', user("'2126-01-01'")],
  ['a profile of no time', user("'infinity'")],
  ['a later date of a profile', "UPDATE users SET profile_updated_at = '2126-01-01'"],
  ['an address without end', "UPDATE users SET email = repeat('a', 321)"],
  ['a membership of a later snapshot', member('(SELECT last_value + 1 FROM snapshot_orders)')],
  ['a membership of the last snapshot', member('9223372036854775807')],
  ['a membership of a negative snapshot', member('-1')],
  ['a role that does not exist', member('0', 'owner')],
  ['an invitation for a century', invitation("'2126-01-01'")],
  ['an invitation for ever', invitation("'infinity'")],
  ['an invitation whose next try is in a century', invitation('now()', "'2126-01-01'")],
  ['an invitation in no state', invitation('now()', 'now()', 'sent')],
  ['an invitation that is accepted', invitation('now()', 'now()', 'accepted')],
  ['another role of an invitation', "UPDATE team_invitations SET role = 'admin'"],
  ['another person of an invitation', "UPDATE team_invitations SET email = 'eve@b.c'"],
  ['another organization of an invitation', "UPDATE team_invitations SET organization_id = 'org_y'"],
  ['a seat beyond those that are paid', seat(', status', ", 'active'")],
  ['a seat in no state', seat(', status', ", 'paid'")],
  ['a seat of another day', seat(', status, assigned_at', ", 'active', '2126-01-01'")],
  ['a customer without an id', "INSERT INTO stripe_customers (owner_id, customer_id) VALUES ('user_x', '')"],
  [
    'a customer with an endless id',
    "INSERT INTO stripe_customers (owner_id, customer_id) VALUES ('user_x', repeat('c', 256))",
  ],
  [
    'a customer of no owner',
    "INSERT INTO stripe_customers (owner_id, customer_id) VALUES ('house', 'cus_x')",
  ],
  ['the status of a plan', "UPDATE subscriptions SET status = 'active'"],
  ['the seats of a plan', 'UPDATE subscriptions SET seats_total = 1000'],
  ['the end of a plan', "UPDATE subscriptions SET ended_at = NULL, current_period_end = '2126-01-01'"],
  [
    'a request that stays locked',
    `INSERT INTO idempotent_requests (user_id, key, request_hash, attempt_id, created_at, locked_until)
     VALUES ('user_x', 'k', sha256('x'), gen_random_uuid(), now(), now() + interval '26 hours')`,
  ],
])('the login of the server cannot write %s', async (_, statement) => {
  await buildUser(database.server)
  await expect(sql.raw(statement).execute(database.server)).rejects.toThrow(
    /row-level security|violates check constraint|permission denied/,
  )
})

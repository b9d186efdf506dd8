import { sql } from 'kysely'
import type { TestDatabase } from './database.ts'
import { addMember, foundOrganization, type TestOrganization } from './organizations.ts'
import { insertUser } from './records.ts'
import { type Sandbox, type SignedInPerson, signUp } from './sandbox.ts'
import { insertSubscription } from './subscriptions.ts'
import { waitUntil } from './wait-until.ts'

export interface Person extends SignedInPerson {
  readonly email: string
}

export interface Team {
  readonly organization: TestOrganization
  /** An admin with an account; has no seat yet. */
  readonly admin: Person
  readonly subscription_id: string
}

let people = 0

/** Somebody new at the sign-in stand-in, without an account of ours. */
export async function newPerson(clerk: Sandbox): Promise<Person> {
  const email = `teammate${++people}.${process.pid}@tidemark.test`
  return { ...(await signUp(clerk, { email })), email }
}

/** An organization that has bought `seats`, none of which is given yet. */
export async function newTeam(
  { database, clerk }: { database: TestDatabase; clerk: Sandbox },
  { seats }: { seats: number },
): Promise<Team> {
  const admin = await newPerson(clerk)
  const organization = await foundOrganization(clerk, admin)
  await insertUser(database.server, admin.user_id)
  const { id } = await insertSubscription(database, {
    owner: { owner_kind: 'organization', owner_id: organization.id },
    user_id: admin.user_id,
    seats,
  })
  return { organization, admin, subscription_id: id }
}

export async function newMember(
  clerk: Sandbox,
  team: Team,
  role: 'org:admin' | 'org:member' = 'org:member',
): Promise<Person> {
  const person = await newPerson(clerk)
  await addMember(clerk, team.organization, person, role)
  return person
}

/**
 * Starts requests that all want one of the team's seats, and lets them go on only when every one of them has come as far as it
 * can without the others. At most as many as the server has connections.
 */
export async function raceForSeats<T>(
  { owner }: TestDatabase,
  { subscription_id }: Team,
  requests: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const running = await owner.transaction().execute(async (trx) => {
    await trx
      .selectFrom('subscriptions')
      .select('seats_total')
      .where('stripe_subscription_id', '=', subscription_id)
      .forUpdate()
      .execute()
    const started = requests.map((request) => request())
    await waitUntil(
      async () => (await countWaiting(owner)) >= requests.length,
      'all of them to wait for the seats',
    )
    return started
  })
  return Promise.all(running)
}

async function countWaiting(owner: TestDatabase['owner']): Promise<number> {
  const { waiting } = await owner
    .selectNoFrom(
      sql<number>`(SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock')`.as('waiting'),
    )
    .executeTakeFirstOrThrow()
  return waiting
}

import type { TestDatabase } from './database.ts'
import { addMember, foundOrganization, type TestOrganization } from './organizations.ts'
import { insertUser } from './records.ts'
import { type Sandbox, type SignedInPerson, signUp } from './sandbox.ts'
import { insertSubscription } from './subscriptions.ts'

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

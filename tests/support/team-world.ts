import { assignSeat } from '../../schema/api/organization-seats.ts'
import { sendTeamInvitation, type TeamInvitation } from '../../schema/api/team-invitations.ts'
import { openClerk } from '../../schema/clerk/client.ts'
import { type ClerkDirectory, createClerkDirectory } from '../../schema/clerk/directory.ts'
import { findEvent, type InboxEvent } from '../../schema/inbox/events.ts'
import { processInboxEvent } from '../../worker/jobs/inbox-event.ts'
import { listClerkEvents, receiveClerkEvent, type SandboxEvent } from './clerk-events.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'
import { startTestServer, type TestServer } from './server.ts'
import { newTeam, type Person, type Team } from './team.ts'
import { createTestDependencies } from './worker.ts'

/** What is known of an organization's seats and invitations, without the times at which it was written. */
export interface TeamBooks {
  readonly seats: { email: string; user_id: string | null; role: string; status: string }[]
  readonly invitations: { email: string; status: string }[]
}

/** A product whose people are at the sign-in stand-in, and whose events arrive when the test says so. */
export interface TeamWorld {
  readonly database: TestDatabase
  readonly clerk: Sandbox
  readonly server: TestServer
  readonly backend: ReturnType<typeof openClerk>
  readonly directory: ClerkDirectory
  team(seats?: number): Promise<Team>
  invite(team: Team, email: string): Promise<TeamInvitation>
  giveSeat(team: Team, email: string): Promise<unknown>
  /** Accepts the newest invitation as the invited person's browser would. */
  accept(person: Person): Promise<void>
  leave(team: Team, person: Person): Promise<unknown>
  become(team: Team, person: Person, role: 'org:admin' | 'org:member'): Promise<unknown>
  join(team: Team, person: Person): Promise<unknown>
  /** Forgets what Clerk has told so far. */
  forgetEvents(): Promise<void>
  /** What Clerk has told since, of the kinds that begin so. */
  told(...kinds: string[]): Promise<SandboxEvent[]>
  /** Applies an event through the inbox, as if it had just been delivered once more. */
  apply(event: Pick<SandboxEvent, 'type' | 'payload'>): Promise<InboxEvent | undefined>
  applyAll(events: readonly SandboxEvent[]): Promise<void>
  books(team: Team): Promise<TeamBooks>
  planOf(person: Person): Promise<string | undefined>
  close(): Promise<void>
}

/** With a `port` for the server, events are also delivered there, by signed webhooks. */
export async function openTeamWorld(options: { port?: number } = {}): Promise<TeamWorld> {
  const { port } = options
  const [database, clerk] = await Promise.all([
    createTestDatabase(),
    startSandbox('clerk', port === undefined ? {} : { serverPort: port }),
  ])
  const server = await startTestServer({ databaseUrl: database.url, clerk, ...(port && { port }) })
  const backend = openClerk({ secretKey: 'sk_test_sandbox', apiUrl: `${clerk.url}/bapi` })
  const directory = createClerkDirectory(backend)
  const deps = createTestDependencies(database, { clerk: directory })
  let forgotten = new Set<string>()
  const membership = ({ organization }: Team, { user_id }: Person) => ({
    organizationId: organization.id,
    userId: user_id,
  })
  const apply: TeamWorld['apply'] = async (event) => {
    const key = { source: 'clerk', id: await receiveClerkEvent(database.server, event) } as const
    await processInboxEvent(deps, key)
    return findEvent(database.owner, key)
  }
  return {
    database,
    clerk,
    server,
    backend,
    directory,
    team: (seats = 3) => newTeam({ database, clerk }, { seats }),
    async invite({ organization, admin }, email) {
      const body = { org_id: organization.id, email }
      return (await server.ask(sendTeamInvitation, { token: admin.token, body })).invitation
    },
    giveSeat: ({ organization, admin }, email) =>
      server.ask(assignSeat, { token: admin.token, body: { org_id: organization.id, email } }),
    accept: (person) => acceptNewest(clerk, person),
    leave: (team, person) => backend.organizations.deleteOrganizationMembership(membership(team, person)),
    become: (team, person, role) =>
      backend.organizations.updateOrganizationMembership({ ...membership(team, person), role }),
    join: (team, person) =>
      backend.organizations.createOrganizationMembership({ ...membership(team, person), role: 'org:member' }),
    async forgetEvents() {
      forgotten = new Set((await listClerkEvents(clerk)).map(({ id }) => id))
    },
    told: async (...kinds) =>
      (await listClerkEvents(clerk)).filter(
        ({ id, type }) => !forgotten.has(id) && kinds.some((kind) => type.startsWith(kind)),
      ),
    apply,
    async applyAll(events) {
      for (const event of events) await apply(event)
    },
    books: (team) => readBooks(database, team),
    planOf: async ({ user_id }) =>
      (
        await database.owner
          .selectFrom('users')
          .select('plan_type')
          .where('clerk_id', '=', user_id)
          .executeTakeFirst()
      )?.plan_type,
    async close() {
      await server.close()
      await Promise.all([clerk.stop(), database.close()])
    },
  }
}

async function acceptNewest(clerk: Sandbox, { email }: Person): Promise<void> {
  const mails = await fetch(`${clerk.url}/_sandbox/mails?to=${email}`)
  const { data } = (await mails.json()) as { data: { url: string }[] }
  const ticket = new URL(data[0]?.url ?? '').searchParams.get('ticket') ?? ''
  const answer = await fetch(`${clerk.url}/v1/client/sign_ins`, {
    method: 'POST',
    body: new URLSearchParams({ strategy: 'ticket', ticket }),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
}

async function readBooks({ owner }: TestDatabase, { organization }: Team): Promise<TeamBooks> {
  const seats = await owner
    .selectFrom('seats')
    .select(['email', 'user_id', 'role', 'status'])
    .where('organization_id', '=', organization.id)
    .orderBy('id')
    .execute()
  const invitations = await owner
    .selectFrom('team_invitations')
    .select(['email', 'status'])
    .where('organization_id', '=', organization.id)
    .orderBy('created_at')
    .execute()
  return { seats, invitations }
}

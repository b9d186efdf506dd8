import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { processPaymentSuccess } from '../../schema/api/checkout.ts'
import type { Endpoint } from '../../schema/api/endpoint.ts'
import { generateExtensionToken, revokeExtensionToken } from '../../schema/api/extension.ts'
import { assignSeat, getOrganizationSeats, revokeSeat } from '../../schema/api/organization-seats.ts'
import { getOrganizationCredits, getOrganizationSubscription } from '../../schema/api/organizations.ts'
import {
  listTeamInvitations,
  revokeTeamInvitation,
  sendTeamInvitation,
} from '../../schema/api/team-invitations.ts'
import type { Database } from '../../schema/database/connect.ts'
import { buildOrganization } from '../../tests/support/factories/organizations.ts'
import { buildSubscription } from '../../tests/support/factories/subscriptions.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

const product = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const ada = madeOnce(() => signUp(product.clerk))
const org = madeOnce(() => buildOrganization(product.clerk, ada))
const invited = { id: '' }

/** The server's database, for as long as Postgres can take no statement. */
const faults = { statements: /^$/ }
function withFaults(db: Database): Database {
  return db.withPlugin({
    transformQuery({ node }) {
      if (faults.statements.test(node.kind)) {
        throw Object.assign(new Error('the database system is starting up'), { code: '57P03' })
      }
      return node
    },
    transformResult: async ({ result }) => result,
  })
}
const server = madeOnce(() => product.startServer({ deps: { db: withFaults(product.server.deps.db) } }))
afterAll(() => server.close())

beforeAll(async () => {
  await buildUser(product.database.owner, ada.user_id)
  await buildSubscription(product.database, {
    owner_id: org.id,
    user_id: ada.user_id,
    seats: 5,
  })
  const { invitation } = await product.server.ask(sendTeamInvitation, {
    token: ada.token,
    body: { org_id: org.id, email: 'bob@tidemark.test' },
  })
  invited.id = invitation.id
})

const everything = /Node$/
const changes = /^(Insert|Update)QueryNode$/
const email = () => `${randomUUID()}@tidemark.test`

test.each<[string, RegExp, Endpoint, () => object, code?: string]>([
  [
    'Failed to load billing information',
    everything,
    getOrganizationSubscription,
    () => ({ query: { orgId: org.id } }),
  ],
  [
    'Failed to load organization credits',
    everything,
    getOrganizationCredits,
    () => ({ query: { org_id: org.id } }),
  ],
  [
    'Failed to load seat information',
    everything,
    getOrganizationSeats,
    () => ({ query: { org_id: org.id } }),
  ],
  ['Failed to load invitations', everything, listTeamInvitations, () => ({ query: { org_id: org.id } })],
  ['Failed to assign seat', everything, assignSeat, () => ({ body: { org_id: org.id, email: email() } })],
  ['Failed to revoke seat', changes, revokeSeat, () => ({ body: { org_id: org.id, user_id: ada.user_id } })],
  [
    'Failed to store invitation in database',
    changes,
    sendTeamInvitation,
    () => ({ body: { org_id: org.id, email: email() } }),
  ],
  [
    'Failed to update invitation status in database',
    changes,
    revokeTeamInvitation,
    () => ({ body: { id: invited.id } }),
  ],
  [
    'Failed to generate long-lived token',
    everything,
    generateExtensionToken,
    () => ({}),
    'token_generation_failed',
  ],
  ['Failed to revoke token', everything, revokeExtensionToken, () => ({}), 'token_revocation_failed'],
  [
    'Failed to process payment',
    everything,
    processPaymentSuccess,
    () => ({ body: { sessionId: 'cs_test_any', clerkUserId: ada.user_id } }),
  ],
])(
  'the call fails with its text while the database is unavailable: %s',
  async (error, statements, endpoint, request, code = 'temporarily_unavailable') => {
    faults.statements = statements
    const answer = await server.api(endpoint, { token: ada.token, ...request() })
    faults.statements = /^$/
    expect(answer).toMatchObject({ status: 503, body: { error, code } })
    expect(answer.headers.get('retry-after')).toBe('5')
  },
)

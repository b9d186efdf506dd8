import { getWebConfig, listPlans } from '../schema/api/catalogue.ts'
import {
  createCreditTopupSession,
  getSessionStatus,
  processPaymentSuccess,
  purchaseCredits,
} from '../schema/api/checkout.ts'
import { getCreditHistory } from '../schema/api/credits.ts'
import {
  generateExtensionToken,
  getActiveExtensionToken,
  getExtensionBalance,
  reportUsage,
  revokeExtensionToken,
} from '../schema/api/extension.ts'
import {
  completeVscodeAuth,
  exchangeAuthCode,
  initiateVscodeAuth,
  updateAuthCode,
} from '../schema/api/extension-auth.ts'
import { assignSeat, getOrganizationSeats, revokeSeat } from '../schema/api/organization-seats.ts'
import {
  buySeats,
  createOrganizationBillingPortal,
  createOrganizationSubscription,
  getOrganizationCredits,
  getOrganizationSubscription,
  topUpOrganizationCredits,
} from '../schema/api/organizations.ts'
import { createCheckoutSession, createCustomerPortalSession } from '../schema/api/subscriptions.ts'
import {
  listTeamInvitations,
  revokeTeamInvitation,
  sendTeamInvitation,
} from '../schema/api/team-invitations.ts'
import { getUser, initializeUser, processStarterSignup } from '../schema/api/users.ts'

/**
 * Who asks. Requests are about `user` or about the organization in which `member` and `admin` are; all others have nothing to
 * do with either, and being an admin elsewhere or of the support staff makes no difference to that.
 */
export const actors = [
  'anonymous',
  'user',
  'other_user',
  'member',
  'admin',
  'other_admin',
  'support',
] as const
export type Actor = (typeof actors)[number]

/** The status each of them is answered with. */
type Answers = Readonly<Record<Actor, number>>

export interface Right {
  readonly method: string
  readonly path: string
  /** What the request is about, where that is not plain. */
  readonly about?: 'an_organization' | 'no_signature'
  readonly answers: Answers
}

const everybody = answers(200)
/** Everybody who is signed in, about themselves: the call names nobody. */
const oneself = { ...everybody, anonymous: 401 }
/** The call names the user, and everybody else is told that it is not theirs. */
const theUser = { ...answers(403), anonymous: 401, user: 200 }
/** The user's own object; for everybody else it is as good as missing. */
const theOwner = { ...answers(404), anonymous: 401, user: 200 }
const members = { ...answers(404), anonymous: 401, member: 200, admin: 200 }
const admins = { ...members, member: 403 }

/** The whole of who may do what. A test walks it, and fails when a call is mounted that it does not know. */
export const rights: readonly Right[] = [
  of(listPlans, everybody),
  of(getWebConfig, everybody),
  { method: 'GET', path: '/api/openapi.json', answers: everybody },
  { method: 'GET', path: '/healthz', answers: everybody },
  { method: 'GET', path: '/readyz', answers: everybody },
  { method: 'GET', path: '/metrics', answers: everybody },
  { method: 'POST', path: '/api/stripe/webhook', about: 'no_signature', answers: answers(400) },
  { method: 'POST', path: '/api/clerk/webhook', about: 'no_signature', answers: answers(400) },

  of(getUser, theUser),
  of(initializeUser, theUser),
  of(processStarterSignup, theUser),
  of(getCreditHistory, oneself),

  of(purchaseCredits, theUser),
  of(createCreditTopupSession, theUser),
  of(createCheckoutSession, theUser),
  of(createCustomerPortalSession, theUser),
  of(getSessionStatus, theOwner),
  of(processPaymentSuccess, theUser),

  of(getOrganizationSubscription, members),
  of(getOrganizationCredits, members),
  of(getOrganizationSeats, members),
  of(createOrganizationSubscription, admins),
  of(createOrganizationBillingPortal, admins),
  of(topUpOrganizationCredits, admins),
  of(buySeats, admins),
  of(assignSeat, admins),
  of(revokeSeat, admins),
  of(listTeamInvitations, admins),
  of(sendTeamInvitation, admins),
  of(revokeTeamInvitation, admins),

  of(getActiveExtensionToken, oneself),
  of(generateExtensionToken, oneself),
  of(revokeExtensionToken, oneself),
  of(initiateVscodeAuth, everybody),
  of(updateAuthCode, theUser),
  of(completeVscodeAuth, theUser),
  // Whoever holds the code and its verifier is the editor that began.
  of(exchangeAuthCode, everybody),
  of(getExtensionBalance, oneself),
  of(reportUsage, oneself),
  // With a seat, which member and admin have here.
  { ...of(getExtensionBalance, members), about: 'an_organization' },
  { ...of(reportUsage, members), about: 'an_organization' },
]

function answers(status: number): Answers {
  return Object.fromEntries(actors.map((actor) => [actor, status])) as Record<Actor, number>
}

function of(endpoint: { readonly method: string; readonly path: string }, answers: Answers): Right {
  return { method: endpoint.method, path: endpoint.path, answers }
}

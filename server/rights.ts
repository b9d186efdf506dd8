import type { Membership } from '../schema/vendors/clerk/memberships.ts'
import type { RequestLog } from './context.ts'
import type { Dependencies } from './dependencies.ts'
import { notAdmin, refusal, type ServerError } from './errors.ts'

/**
 * The callers in rights.test.ts. Requests concern `user` or the organization of `member` and `admin`. The
 * others are unrelated; being an admin elsewhere or on the support staff does not change that.
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

/** The permitted callers of a route: the expectation of rights.test.ts, and the check that enforces it. */
export interface Rights<Request, Found> extends Unchecked {
  /** Runs before the handler, which gets its result. Omitted where the token or the query decides. */
  readonly check?: (request: Request, deps: Dependencies) => Promise<Found> | Found
}

interface Unchecked {
  readonly rows: readonly RightsRow[]
}

export interface RightsRow {
  /** What the request is about, where the path does not say it. */
  readonly about?: 'an_organization' | 'no_signature'
  /** The status that each actor gets. */
  readonly answers: Readonly<Record<Actor, number>>
  /** What only administrators may do: it is said to a member who tries. */
  readonly doing?: string
}

interface SignedIn {
  readonly user_id: string
  readonly requestLog: RequestLog
}

const everybodyRow = answers(200)
const oneselfRow = { ...everybodyRow, anonymous: 401 }
const membersRow = { ...answers(404), anonymous: 401, member: 200, admin: 200 }

export const everybody: Unchecked = { rows: [{ answers: everybodyRow }] }

/** Any signed-in user, about themselves: the call names no user. */
export const oneself: Unchecked = { rows: [{ answers: oneselfRow }] }

/** The caller's own objects: the handler's query finds no others, so objects of other users are a 404. */
export const theOwner: Unchecked = { rows: [{ answers: { ...answers(404), anonymous: 401, user: 200 } }] }

/** Signed-in users about themselves, and seat holders about an organization (`member`, `admin`). */
export const oneselfOrSeatHolder: Unchecked = {
  rows: [{ answers: oneselfRow }, { about: 'an_organization', answers: membersRow }],
}

/** Support staff, on any owner. For other callers the call does not exist. */
export const supportStaff: Unchecked = { rows: [{ answers: { ...answers(404), support: 200 } }] }

/** Only the sender, whose signature the handler verifies; the walk has none. */
export const signedSender: Unchecked = { rows: [{ about: 'no_signature', answers: answers(400) }] }

/** The user that the call names must be the caller. */
export function theUser<Request extends SignedIn>(
  claimed: (request: Request) => string,
): Rights<Request, unknown> {
  return {
    rows: [{ answers: { ...answers(403), anonymous: 401, user: 200 } }],
    check(request) {
      if (claimed(request) !== request.user_id) throw refusal('forbidden')
    },
  }
}

interface OrganizationClaim<Request> {
  /** The organization that the request is about; null when what the request names does not exist. */
  organization(request: Request, deps: Dependencies): Promise<string | null> | string
  /** The error for callers who are not members, whether or not the organization exists. */
  notFound?(request: Request): ServerError
}

/** Members by Clerk's present state: a token's claim may be a minute old (decision 043). */
export function members<Request extends SignedIn>({
  organization,
  notFound = () => refusal('organization_not_found'),
}: OrganizationClaim<Request>): Rights<Request, { readonly member: Membership }> {
  return {
    rows: [{ answers: membersRow }],
    async check(request, deps) {
      const organization_id = await organization(request, deps)
      if (organization_id === null) throw notFound(request)
      request.requestLog.note({ organization_id })
      const member = await deps.clerk.findMembership({ organization_id, user_id: request.user_id })
      if (!member) throw notFound(request)
      return { member }
    },
  }
}

/** Members who are admins. `doing` completes the error text for the others, e.g. `assign seats`. */
export function admins<Request extends SignedIn>(
  claim: OrganizationClaim<Request> & {
    readonly doing: string
    /** The user that the call names, if it names one. */
    user?(request: Request): string
  },
): Rights<Request, { readonly admin: Membership }> {
  const user = claim.user && theUser(claim.user)
  const membership = members(claim)
  return {
    rows: [{ answers: { ...membersRow, member: 403 }, doing: claim.doing }],
    async check(request, deps) {
      await user?.check?.(request, deps)
      const found = await membership.check?.(request, deps)
      if (found?.member.role !== 'admin') throw notAdmin(claim.doing)
      return { admin: found.member }
    },
  }
}

interface ThePayer {
  readonly owner_id: string
  /** The caller's membership of the organization; null for a person about themselves. */
  readonly member: Membership | null
  readonly may_manage: boolean
}

/**
 * About themselves any signed-in user, about an organization its members, or with `doing` (see `admins`) only
 * its admins. The handler gets the owner whose credits and bills the call is about, the caller's membership,
 * and whether the caller may see to its payments.
 */
export function thePayer<Request extends SignedIn & { readonly query: { readonly payer: string } }>({
  doing,
}: {
  readonly doing?: string
} = {}): Rights<Request, ThePayer> {
  const membership = members<Request>({ organization: ({ query }) => query.payer })
  const memberRow =
    doing === undefined ? { answers: membersRow } : { answers: { ...membersRow, member: 403 }, doing }
  return {
    rows: [{ answers: oneselfRow }, { about: 'an_organization', ...memberRow }],
    async check(request, deps) {
      const { payer } = request.query
      if (payer === 'personal') {
        return { owner_id: request.user_id, member: null, may_manage: true }
      }
      const found = await membership.check?.(request, deps)
      const member = found?.member ?? null
      const may_manage = member?.role === 'admin'
      if (!may_manage && doing !== undefined) throw notAdmin(doing)
      return { owner_id: payer, member, may_manage }
    },
  }
}

function answers(status: number): Record<Actor, number> {
  return Object.fromEntries(actors.map((actor) => [actor, status])) as Record<Actor, number>
}

import type { Membership } from '../schema/clerk/memberships.ts'
import type { Trace } from './context.ts'
import type { Dependencies } from './dependencies.ts'
import { forbidden, notAdmin, organizationNotFound, type ServerError } from './errors.ts'

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

/** Who may call a route: what the walk in rights.test.ts expects, and the check that makes it so. */
export interface Rights<Request, Found> extends Unchecked {
  /** Runs before the handler, which gets what was found. Left out where the token decides, or the handler's own query. */
  readonly check?: (request: Request, deps: Dependencies) => Promise<Found> | Found
}

interface Unchecked {
  readonly rows: readonly RightsRow[]
}

export interface RightsRow {
  /** What the request is about, where that is not plain. */
  readonly about?: 'an_organization' | 'no_signature'
  /** The status each actor is answered with. */
  readonly answers: Readonly<Record<Actor, number>>
}

interface Signed {
  readonly user_id: string
  readonly trace: Trace
}

const everybodyRow = answers(200)
const oneselfRow = { ...everybodyRow, anonymous: 401 }
const membersRow = { ...answers(404), anonymous: 401, member: 200, admin: 200 }

export const everybody: Unchecked = { rows: [{ answers: everybodyRow }] }

/** Everybody who is signed in, about themselves: the call names nobody. */
export const oneself: Unchecked = { rows: [{ answers: oneselfRow }] }

/** The caller's own objects: the handler's query asks for no others, so those of others are as good as missing. */
export const theOwner: Unchecked = { rows: [{ answers: { ...answers(404), anonymous: 401, user: 200 } }] }

/** Everybody about themselves, and whoever has a seat, which member and admin have, about an organization. */
export const oneselfOrSeatHolder: Unchecked = {
  rows: [{ answers: oneselfRow }, { about: 'an_organization', answers: membersRow }],
}

/** Only who can sign as the sender; the walk has no signature. */
export const signedSender: Unchecked = { rows: [{ about: 'no_signature', answers: answers(400) }] }

/** The call names the user. That is a claim: everybody else is told that it is not theirs, before any row is touched. */
export function theUser<Request extends Signed>(
  claimed: (request: Request) => string,
): Rights<Request, unknown> {
  return {
    rows: [{ answers: { ...answers(403), anonymous: 401, user: 200 } }],
    check(request) {
      if (claimed(request) !== request.user_id) throw forbidden()
    },
  }
}

interface OrganizationClaim<Request> {
  /** The organization that the request is about; null when what the request names is not there. */
  organization(request: Request, deps: Dependencies): Promise<string | null> | string
  /** What whoever is not a member is told, also of organizations that exist. */
  notFound?(request: Request): ServerError
}

/**
 * Members of the organization, as Clerk has it now. A session token's own claim names only the active organization and may be
 * a minute old, so a removed admin could still act with it: see decision 040.
 */
export function members<Request extends Signed>({
  organization,
  notFound = organizationNotFound,
}: OrganizationClaim<Request>): Rights<Request, { readonly member: Membership }> {
  return {
    rows: [{ answers: membersRow }],
    async check(request, deps) {
      const organization_id = await organization(request, deps)
      if (organization_id === null) throw notFound(request)
      request.trace.note({ organization_id })
      const member = await deps.clerk.findMembership({ organization_id, user_id: request.user_id })
      if (!member) throw notFound(request)
      return { member }
    },
  }
}

/** Members who are admins; the others are told that only admins can do it, e.g. `assign seats`. */
export function admins<Request extends Signed>(
  claim: OrganizationClaim<Request> & {
    readonly doing: string
    /** The user that the call names, where it names one. */
    user?(request: Request): string
  },
): Rights<Request, { readonly admin: Membership }> {
  const user = claim.user && theUser(claim.user)
  const membership = members(claim)
  return {
    rows: [{ answers: { ...membersRow, member: 403 } }],
    async check(request, deps) {
      await user?.check?.(request, deps)
      const found = await membership.check?.(request, deps)
      if (found?.member.role !== 'admin') throw notAdmin(claim.doing)
      return { admin: found.member }
    },
  }
}

function answers(status: number): Record<Actor, number> {
  return Object.fromEntries(actors.map((actor) => [actor, status])) as Record<Actor, number>
}

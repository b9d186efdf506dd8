import type Stripe from 'stripe'
import type { ClerkDirectory } from '../../schema/vendors/clerk/directory.ts'
import type { WorkerDependencies } from '../dependencies.ts'

/**
 * The dependencies of a dry run: what only reads goes to Clerk and Stripe, what would change something at
 * Clerk is answered as if it had been done, and at Stripe with the object as it is.
 */
export function withoutEffects(deps: WorkerDependencies): WorkerDependencies {
  const { clerk, now } = deps
  const harmless: ClerkDirectory = {
    findMembership: (key) => clerk.findMembership(key),
    findMemberByEmail: (key) => clerk.findMemberByEmail(key),
    listMembers: (organizationId) => clerk.listMembers(organizationId),
    listEmailAddresses: (userId) => clerk.listEmailAddresses(userId),
    findInvitation: (key) => clerk.findInvitation(key),
    listInvitations: (...asked) => clerk.listInvitations(...asked),
    findOccupancy: (organizationId) => clerk.findOccupancy(organizationId),
    identify: (owner_id) => clerk.identify(owner_id),
    isGone: (owner_id) => clerk.isGone(owner_id),
    listSessions: (userId) => clerk.listSessions(userId),
    isSupportStaff: (userId) => clerk.isSupportStaff(userId),
    sendInvitation: async ({ invitation_id, organization_id, email, role, lifetime_days }) => ({
      invitation_id,
      organization_id,
      email,
      role,
      clerk_invitation_id: `orginv_dry_run_${invitation_id}`,
      status: 'pending',
      expires_at: new Date(now().getTime() + lifetime_days * 24 * 3600 * 1000),
    }),
    revokeInvitation: async () => undefined,
    setMembershipLimit: async () => undefined,
    revokeSession: async () => undefined,
    deleteUser: async () => undefined,
  }
  return {
    ...deps,
    clerk: harmless,
    stripe: withoutWrites(deps.stripe),
    organizations: { makeOrganization: async () => 'org_thatIsToBeCreated' },
  }
}

/**
 * Stripe for a dry run: the client, a group of its resources such as `checkout`, or a resource. What only
 * reads is called, and a call that would change an object is answered with the object as it is. Creations are
 * refused, so that a dry run cannot make anything.
 */
export function withoutWrites<Part extends object>(part: Part): Part {
  return new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value === 'function') return isRead(name) ? value.bind(target) : unchanged(target, name)
      return typeof value === 'object' && value !== null ? withoutWrites(value) : value
    },
  })
}

function isRead(name: string | symbol): boolean {
  return typeof name === 'symbol' || /^(list|retrieve|search|createPreview)/.test(name)
}

function unchanged(resource: object, name: string | symbol) {
  return async (id?: unknown) => {
    const retrieve: unknown = Reflect.get(resource, 'retrieve')
    if (typeof id !== 'string' || typeof retrieve !== 'function')
      throw new Error(`A dry run does not call ${String(name)} at Stripe`)
    return retrieve.call(resource, id)
  }
}

/** Stripe as it will answer once an act has changed it there, for what a sync fetches: so a dry run shows what follows. */
export function withAnswers(
  stripe: Stripe,
  {
    subscription: change = (one) => one,
    invoice: changeInvoice,
  }: {
    readonly subscription?: (one: Stripe.Subscription) => Stripe.Subscription
    readonly invoice?: (one: Stripe.Invoice) => Stripe.Invoice
  },
): Stripe {
  const { subscriptions, invoices } = stripe
  const retrieve = async (...asked: Parameters<typeof subscriptions.retrieve>) =>
    change(await subscriptions.retrieve(...asked))
  async function* list(...asked: Parameters<typeof invoices.list>) {
    for await (const one of invoices.list(...asked)) yield changeInvoice?.(one) ?? one
  }
  return Object.create(stripe, {
    subscriptions: { value: Object.create(subscriptions, { retrieve: { value: retrieve } }) },
    invoices: { value: Object.create(invoices, { list: { value: list } }) },
  }) as Stripe
}

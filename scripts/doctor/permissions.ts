import Stripe from 'stripe'
import { neededPermissions } from '../../schema/stripe/permissions.ts'

/** An object that does not exist, and a resource that has nothing but creation. */
const unknownId = 'probe_of_permissions'
const onlyCreated = new Set(['billing_portal/sessions'])
/** One object for the account, not a list. */
const single = new Set(['tax/settings'])

/**
 * The permissions that a key lacks, such as `invoices (write)`. Nothing is changed: to probe writing it asks
 * to change an object that does not exist, or to make one without its parameters. Stripe refuses a key before
 * it looks for the object: the permission is one "for this endpoint"
 * (https://github.com/stripe/stripe-node/issues/2246).
 */
export async function findMissingPermissions(stripe: Stripe): Promise<string[]> {
  const missing: string[] = []
  for (const [path, access] of Object.entries(neededPermissions)) {
    const probes = access === 'write' ? [writing(path), ...reading(path)] : reading(path)
    for (const probe of probes) {
      if (await may(stripe, probe)) continue
      missing.push(`${path} (${probe.access})`)
      break
    }
  }
  return missing
}

interface Probe {
  readonly access: 'read' | 'write'
  /** Below `/v1/`. */
  readonly path: string
}

function writing(path: string): Probe {
  return { access: 'write', path: onlyCreated.has(path) ? path : `${path}/${unknownId}` }
}

function reading(path: string): Probe[] {
  if (onlyCreated.has(path)) return []
  return [{ access: 'read', path: single.has(path) ? path : `${path}?limit=1` }]
}

async function may(stripe: Stripe, { access, path }: Probe): Promise<boolean> {
  try {
    await stripe.rawRequest(access === 'write' ? 'POST' : 'GET', `/v1/${path}`)
    return true
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return false
    // Whatever else is wrong with the call, the key may make it.
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return true
    throw error
  }
}

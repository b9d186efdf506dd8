import Stripe from 'stripe'
import { neededPermissions } from '../../schema/vendors/stripe/permissions.ts'

/** An object that does not exist, a resource that has nothing but creation, and one that is not a list. */
const unknownId = 'probe_of_permissions'
const onlyCreated = 'billing_portal/sessions'
const single = 'tax/settings'

/**
 * The permissions that a key lacks, such as `invoices (write)`. Nothing is changed: to probe writing it asks
 * to change an object that does not exist, or to make one without its parameters. Stripe refuses a key before
 * it looks for the object: the permission is one "for this endpoint"
 * (https://github.com/stripe/stripe-node/issues/2246).
 */
export async function findMissingPermissions(stripe: Stripe): Promise<string[]> {
  const missing: string[] = []
  for (const [path, access] of Object.entries(neededPermissions)) {
    const writable = path === onlyCreated ? path : `${path}/${unknownId}`
    const readable = path === single ? path : `${path}?limit=1`
    if (access === 'write' && !(await may(stripe, 'POST', writable))) missing.push(`${path} (write)`)
    else if (path !== onlyCreated && !(await may(stripe, 'GET', readable))) missing.push(`${path} (read)`)
  }
  return missing
}

async function may(stripe: Stripe, method: 'GET' | 'POST', path: string): Promise<boolean> {
  try {
    await stripe.rawRequest(method, `/v1/${path}`)
    return true
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return false
    // Whatever else is wrong with the call, the key may make it.
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return true
    throw error
  }
}

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { neededPermissions } from '../../schema/vendors/stripe/permissions.ts'
import { repositoryRoot } from '../launch/script.ts'

type Access = 'read' | 'write'

const sources = globSync('{schema,server,worker,scripts}/**/*.ts', { cwd: repositoryRoot })
  .filter((path) => !/\.test\.ts$|^scripts\/(bench|test)\//.test(path))
  .map((path) => readFileSync(join(repositoryRoot, path), 'utf8'))

/** The path of a resource of the SDK's: `billingPortal.sessions` is `billing_portal/sessions`. */
function pathOf(resource: string): string {
  if (resource === 'invoiceItems') return 'invoiceitems'
  return resource.replaceAll('.', '/').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** What an expanded field shows. */
const expanded: Readonly<Record<string, string>> = {
  charge: 'charges',
  default_payment_method: 'payment_methods',
  invoice: 'invoices',
  latest_invoice: 'invoices',
  payment_intent: 'payment_intents',
  schedule: 'subscription_schedules',
}

/** What our calls need. */
function findNeeds(): Record<string, Access> {
  const needs: Record<string, Access> = {}
  const note = (path: string, access: Access) => {
    if (needs[path] !== 'write') needs[path] = access
  }
  for (const text of sources) {
    for (const [, resource = '', method = ''] of text.matchAll(
      /\bstripe\s*\.((?:[a-zA-Z]+\.)*?[a-zA-Z]+)\s*\.([a-zA-Z]+)\(/g,
    )) {
      if (resource.startsWith('webhooks')) continue
      note(pathOf(resource), /^(list|retrieve|search)/.test(method) ? 'read' : 'write')
    }
    for (const [, fields = ''] of text.matchAll(/\bexpand: \[([^\]]*)\]/g))
      for (const [, field = ''] of fields.matchAll(/(\w+)'/g))
        if (expanded[field]) note(expanded[field], 'read')
  }
  return needs
}

test('the list of permissions is what our calls to Stripe need, and nothing else', () => {
  // A key that may not read its account is warned of (schema/vendors/stripe/account.ts).
  expect(findNeeds()).toEqual({ ...neededPermissions, accounts: 'read' })
})

test('going-live.md lists the same permissions', () => {
  const text = readFileSync(join(repositoryRoot, 'docs/going-live.md'), 'utf8')
  const listed = [...text.matchAll(/^ *\| `([a-z_/]+)` +\| (read|write) +\|/gm)].map(
    ([, path, access]) => [path, access] as const,
  )
  expect(Object.fromEntries(listed)).toEqual(neededPermissions)
})

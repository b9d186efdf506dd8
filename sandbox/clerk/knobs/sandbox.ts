import type { Router } from '@koa/router'
import { z } from 'zod'
import type { Fault } from '../../kit/faults.ts'
import { signingKey } from '../entities/signing-key.ts'
import { listPeople, seed } from '../seed.ts'
import type { Service } from '../service.ts'
import { readForm } from '../wire/form.ts'

const faultForm = z.object({
  status: z.number().int().min(400).max(599),
  count: z.number().int().min(1).max(10_000).default(1),
  path_prefix: z.string().startsWith('/').default('/bapi/'),
  method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']).nullable().default(null),
  retry_after_s: z.number().int().min(0).nullable().default(null),
})

const instanceForm = z.strictObject({
  organizations_enabled: z.boolean().optional(),
  personal_accounts_allowed: z.boolean().optional(),
  max_allowed_memberships: z.number().int().min(0).optional(),
  mfa_required: z.boolean().optional(),
  plan_cap: z.number().int().min(1).nullable().optional(),
})

/** Faults, the settings of the instance, and resetting the state. */
export function sandboxKnobs(router: Router, service: Service): void {
  const { store, faults, outbox, settings } = service
  router.get('/_sandbox', (ctx) => {
    ctx.body = { faults: faults.list(), people: listPeople(service) }
  })

  router.post('/_sandbox/faults', (ctx) => {
    const fault: Fault = readForm(ctx, faultForm)
    faults.add(fault)
    ctx.status = 201
    ctx.body = fault
  })

  router.delete('/_sandbox/faults', (ctx) => {
    faults.clear()
    ctx.body = { data: [] }
  })

  // What the dashboard does.
  router.post('/_sandbox/instance', (ctx) => {
    const given = Object.entries(readForm(ctx, instanceForm)).filter(([, value]) => value !== undefined)
    ctx.body = Object.assign(service.instance, Object.fromEntries(given))
  })

  // Back to the first start. The signing key stays, for verifiers hold its public half.
  router.post('/_sandbox/reset', async (ctx) => {
    const key = signingKey(service)
    faults.clear()
    service.deliveryRule.current = null
    Object.assign(service.instance, settings.instance)
    for (const quota of Object.values(service.quotas)) quota.reset()
    store.clear()
    store.signing_keys.put(key)
    if (settings.webhookUrl) outbox.resume()
    await seed(service)
    ctx.body = {
      users: [...store.users.oldestFirst()].map((row) => row.id),
      organizations: [...store.organizations.oldestFirst()].map((row) => row.id),
    }
  })

  router.get('/_sandbox/health', (ctx) => {
    ctx.body = { status: 'ok' }
  })
}

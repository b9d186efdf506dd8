import { beforeEach, describe, expect, test } from 'vitest'
import { stripeEventTypes } from '../schema/vendors/stripe/event-types.ts'
import { setUpWebhook } from '../scripts/stripe/set-up-webhook.ts'
import { testProduct } from '../tests/support/product/start-test-product.ts'
import { compareWebhook } from './compare-webhook.ts'

const product = testProduct({ stripe: 'empty' })
const { stripe } = product
beforeEach(() => stripe.knob('reset'))

const app_url = 'https://app.example'
const webhook_url = `${app_url}/api/stripe/webhook`
const setUp = () => setUpWebhook(stripe.client, { webhook_url, may_reach_localhost: false })

/** What the start of a server there warns of. */
async function warnings(url = app_url): Promise<string[]> {
  await using server = await product.startServer({ settings: { app_url: url, stripe_api_base: undefined } })
  await compareWebhook(server.deps)
  return server.logs
    .filter(({ level }) => level === 'warn' || level === 'error')
    .map(({ msg }) => String(msg))
}

/** Made long ago, when there was another version. */
const madeEarlier = (fields: { api_version?: '2025-03-31.basil'; enabled_events?: ['invoice.paid'] } = {}) =>
  stripe.client.webhookEndpoints.create({
    url: webhook_url,
    enabled_events: [...stripeEventTypes],
    ...fields,
  })

test('an endpoint that the set-up made gives nothing to warn of', async () => {
  await setUp()
  expect(await warnings()).toEqual([])
})

describe('an endpoint of another API version', () => {
  test.each([
    ['2025-03-31.basil', '2025-03-31.basil'],
    [undefined, 'of the account'],
  ] as const)('(%s) is said at the start and by the set-up, with what to do', async (api_version, said) => {
    const { id } = await madeEarlier(api_version && { api_version })
    const text = `its events have the API version ${said}, not 2026-10-28.endive`
    const advice = expect.stringContaining(`delete ${id} in Stripe’s dashboard`)
    const [warning, ...others] = await warnings()
    expect(warning).toContain(text)
    expect(warning).toEqual(advice)
    expect(others).toEqual([])
    const { changes, warnings: said_by_set_up } = await setUp()
    expect(changes).toEqual([])
    expect(said_by_set_up).toEqual([expect.stringContaining(text)])
    expect(said_by_set_up[0]).toEqual(advice)
  })

  test('an endpoint of another API version is ignored when there is one of ours', async () => {
    await madeEarlier({ api_version: '2025-03-31.basil' })
    await stripe.client.webhookEndpoints.create({
      url: webhook_url,
      enabled_events: ['*'],
      api_version: '2026-10-28.endive',
    })
    expect(await warnings()).toEqual([])
  })
})

test('missing types of events, and a disabled endpoint, are said', async () => {
  const { id } = await stripe.client.webhookEndpoints.create({
    url: webhook_url,
    enabled_events: ['invoice.paid'],
    api_version: '2026-10-28.endive',
  })
  await stripe.client.webhookEndpoints.update(id, { disabled: true })
  const said = await warnings()
  expect(said).toHaveLength(2)
  expect(said[0]).toContain('it is disabled')
  expect(said[1]).toContain('it is not sent checkout.session.completed')
})

test('a missing endpoint is logged, but not on a developer’s machine, which Stripe cannot reach', async () => {
  expect(await warnings()).toEqual([expect.stringContaining('no webhook endpoint here')])
  expect(await warnings('http://localhost:3999')).toEqual([])
})

test('the server starts with a key that may not read webhook endpoints', async () => {
  await stripe.knob('faults', { status: 500, path_prefix: '/v1/webhook_endpoints' })
  expect(await warnings()).toEqual([])
  await stripe.clear('faults')
})

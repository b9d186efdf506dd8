import pg from 'pg'
import { beforeEach, expect, test, vi } from 'vitest'
import { processEnvironment } from '../../schema/env.ts'
import { createStripe } from '../../schema/vendors/stripe/client.ts'
import { neededPermissions } from '../../schema/vendors/stripe/permissions.ts'
import { describeLong } from '../../tests/support/describe-long.ts'
import { launchedProduct } from '../../tests/support/product/launched-product.ts'
import { clerkSandboxVariables, stripeSandboxVariables } from '../sandbox-environment.ts'
import { setUpStripe } from '../stripe/set-up.ts'
import { withWorkerDependencies } from '../worker-dependencies.ts'
import { examine } from './examine.ts'
import { renderFindings } from './finding.ts'
import { examineKeys } from './keys.ts'

vi.setConfig({ testTimeout: 5 * 60_000, hookTimeout: 10 * 60_000 })
const launched = launchedProduct()
const portOf = (url: string | undefined) => Number(new URL(url ?? '').port)
const stripeApi = () => createStripe({ secretKey: 'sk_test_sandbox', apiBase: launched.stripeSandboxUrl })
/** Another name than the sandbox's own endpoint has, so that this one is an endpoint as Stripe has them. */
const appUrl = () => launched.url.replace('localhost', '127.0.0.1')
const webhookUrl = () => `${appUrl()}/api/stripe/webhook`
const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`

/** As the documents say, whatever a test has left. */
async function setUp(): Promise<void> {
  const stripe = stripeApi()
  for (const { id, url } of (await stripe.webhookEndpoints.list()).data) {
    if (url === webhookUrl()) await stripe.webhookEndpoints.del(id)
  }
  const webhook = { webhook_url: webhookUrl(), may_reach_localhost: true }
  await setUpStripe(stripe, { app_url: appUrl(), brand_name: 'Tidemark', webhook })
}
beforeEach(setUp)

/** An operator's own accounts, at which the sandboxes happen to answer. */
const configured = (changes: Record<string, string> = {}) => ({
  ...stripeSandboxVariables({ stripePort: portOf(launched.stripeSandboxUrl) }),
  ...clerkSandboxVariables({ clerkPort: portOf(launched.clerkSandboxUrl) }),
  CLERK_PUBLISHABLE_KEY: `pk_test_${btoa('clerk.local.test$')}`,
  STRIPE_WEBHOOK_SECRET: secret,
  CLERK_WEBHOOK_SECRET: secret,
  APP_URL: appUrl(),
  DATABASE_URL: launched.databaseUrl,
  ...changes,
})

async function wrongIn(raw: Record<string, string>): Promise<string[]> {
  const findings = await examine({ raw, dataDir: launched.dataDir })
  return findings.filter(({ level }) => level !== 'ok').map(({ of, text }) => `${of}: ${text}`)
}

test('a fresh sandbox is examined without findings when nothing is configured', async () => {
  const findings = await examine({ raw: {}, dataDir: launched.dataDir })
  expect(renderFindings(findings)).toMatch(/\n\n\d+ well, 0 to look at, 0 wrong$/)
  expect(findings.map(({ of }) => of)).toEqual([
    'environment',
    'keys',
    'database',
    'queues',
    'prices',
    'permissions',
    'tax',
    'Clerk',
    'Clerk',
    'content',
  ])
})

test('a command beside a running launcher finds the stand-ins at the ports that the launcher chose', async () => {
  const raw = { DATABASE_URL: launched.databaseUrl }
  const found = await withWorkerDependencies(
    raw,
    async ({ clerk, stripe }, env) => ({
      addresses: await clerk.listEmailAddresses('user_2sandboxDemo000000000000000'),
      account: (await stripe.accounts.retrieveCurrent()).id,
      app_url: env.APP_URL,
    }),
    launched.dataDir,
  )
  expect(found).toEqual({
    addresses: ['demo@tidemark.test'],
    account: 'acct_sandbox',
    app_url: launched.url,
  })
})

test('each permission that a restricted key lacks is named, and one that has them all is enough', async () => {
  const describeKey = (permissions: Record<string, string>) =>
    launched.turn('stripe', 'keys', { key: 'rk_test_doctor', permissions })
  const restricted = configured({ STRIPE_SECRET_KEY: 'rk_test_doctor' })
  await describeKey(neededPermissions)
  expect(await wrongIn(restricted)).toEqual([])
  const { refunds: _, payment_methods: __, ...others } = neededPermissions
  await describeKey({ ...others, invoices: 'read', 'billing_portal/sessions': 'read' })
  expect(await wrongIn(restricted)).toEqual([
    'permissions: the key lacks billing_portal/sessions (write), invoices (write), payment_methods (read), refunds (write)',
  ])
})

test('nothing is wrong with accounts that are set up as the documents say', async () => {
  expect(await wrongIn(configured())).toEqual([])
})

test('the doctor reports every problem at once, whatever else is wrong or missing', async () => {
  const wrong = await wrongIn(
    configured({
      PORT: 'often',
      DATABASE_URL: 'postgres://a@127.0.0.1:1/b',
      REDIS_URL: 'redis://127.0.0.1:1',
      STRIPE_WEBHOOK_SECRET: '',
      CLERK_SECRET_KEY: 'sk_test_of_another',
      CLERK_PUBLISHABLE_KEY: 'pk_test_cut',
    }),
  )
  expect(wrong).toEqual([
    expect.stringMatching(/^environment: PORT: /),
    expect.stringMatching(/^environment: STRIPE_WEBHOOK_SECRET is missing/),
    expect.stringMatching(/^keys: CLERK_PUBLISHABLE_KEY is not of the form /),
    expect.stringMatching(/^database: it does not answer: /),
    expect.stringMatching(/^queues: Redis does not answer: /),
    expect.stringMatching(/^Clerk: http.*\/bapi\/v1\/jwks: HTTP 401$/),
  ])
})

test('the doctor reports an environment that is not complete', async () => {
  const findings = await examine({
    raw: { NODE_ENV: 'production', PORT: 'often' },
    dataDir: launched.dataDir,
  })
  expect(renderFindings(findings)).toContain('environment  PORT: ')
  expect(renderFindings(findings)).toContain('what it means: Server and worker refuse to start.')
  expect(await wrongIn({ NODE_ENV: 'production' })).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^environment: STRIPE_SECRET_KEY is missing/),
      expect.stringMatching(/^content: samples are shown: claims\.rating, .*quotes.*the page of imprint$/),
    ]),
  )
})

// By default those that are found at once stand for each.
describeLong('the doctor names each problem, its meaning and its repair', () => {
  test('the doctor reports keys of different modes', async () => {
    const live = { CLERK_PUBLISHABLE_KEY: `pk_live_${btoa('a.b.test$')}` }
    expect(await wrongIn(configured(live))).toContain(
      'keys: they are of different modes: STRIPE_SECRET_KEY of test mode, CLERK_SECRET_KEY of test mode, CLERK_PUBLISHABLE_KEY of live mode',
    )
    const env = { ...processEnvironment(configured()), STRIPE_SECRET_KEY: 'sk_live_sandbox' }
    expect(examineKeys({ env, sandbox: { stripe: false, clerk: false } })).toEqual([
      expect.objectContaining({
        level: 'problem',
        text: expect.stringContaining('STRIPE_SECRET_KEY of live'),
      }),
    ])
  })

  test('the doctor reports secrets that were copied wrongly, and takes two secrets of one webhook', async () => {
    expect(await wrongIn(configured({ STRIPE_WEBHOOK_SECRET: `${secret},we_1Abc` }))).toEqual([
      'keys: STRIPE_WEBHOOK_SECRET is not of the form whsec_…',
    ])
    const other = 'whsec_of-any.characters:that*there~are'
    expect(await wrongIn(configured({ STRIPE_WEBHOOK_SECRET: `${secret},${other}` }))).toEqual([])
  })

  test('the doctor reports seats that Clerk does not allow', async () => {
    const dashboard = (max_allowed_memberships: number) =>
      launched.turn('clerk', 'instance', { max_allowed_memberships })
    await dashboard(5)
    const findings = await wrongIn(configured())
    await dashboard(0)
    expect(findings).toEqual([
      'Clerk: it lets 5 people into an organization, and the catalogue has up to 100 seats',
    ])
  })

  test('the doctor reports a price that is wrong in one currency', async () => {
    const stripe = stripeApi()
    const amounts = { currency: 'eur', unit_amount: 19_200, tax_behavior: 'inclusive' } as const
    await stripe.prices.create({
      ...amounts,
      product: 'plan_pro',
      lookup_key: 'pro_yearly',
      transfer_lookup_key: true,
      currency_options: {
        usd: { unit_amount: 19_200, tax_behavior: 'inclusive' },
        gbp: { unit_amount: 1920, tax_behavior: 'inclusive' },
      },
      recurring: { interval: 'year' },
    })
    expect(await wrongIn(configured())).toEqual(['prices: pro_yearly: it costs 1920 in GBP, not 19200'])
    await setUp()
    expect(await wrongIn(configured())).toEqual([])
  })

  test('the doctor says whether Stripe works out tax, and reports settings with which it cannot', async () => {
    const taxOf = async (raw: Record<string, string>) =>
      (await examine({ raw, dataDir: launched.dataDir })).find(({ of }) => of === 'tax')
    expect(await taxOf(configured())).toMatchObject({ level: 'ok', text: expect.stringMatching(/^off/) })
    const on = configured({ STRIPE_TAX: 'on' })
    expect(await taxOf(on)).toMatchObject({ level: 'ok', text: expect.stringMatching(/^on/) })
    await launched.turn('stripe', 'account', { tax: 'pending' })
    expect(await taxOf(on)).toMatchObject({
      level: 'problem',
      text: 'on, and Stripe’s tax settings lack head_office',
    })
    await launched.turn('stripe', 'account', { tax: 'active' })
  })

  test('the doctor reports a webhook endpoint that is off, lacks events, has an older version or another address', async () => {
    const stripe = stripeApi()
    const endpoint = (await stripe.webhookEndpoints.list()).data.find(({ url }) => url === webhookUrl())
    await stripe.webhookEndpoints.del(endpoint?.id ?? '')
    expect(await wrongIn(configured())).toEqual([`webhook endpoint: ${webhookUrl()}: there is none`])
    const old = await stripe.webhookEndpoints.create({ url: webhookUrl(), enabled_events: ['invoice.paid'] })
    await stripe.webhookEndpoints.update(old.id, { disabled: true })
    expect(await wrongIn(configured())).toEqual([
      `webhook endpoint: ${webhookUrl()}: it is disabled`,
      expect.stringMatching(
        /: it is not sent checkout\.session\.completed, .*customer\.subscription\.created/,
      ),
      expect.stringMatching(/: its events have the API version of the account, not 20/),
    ])
  })

  test('the doctor reports a database without our tables', async () => {
    const other = new URL(launched.databaseUrl)
    other.pathname = '/postgres'
    expect(await wrongIn(configured({ DATABASE_URL: other.href }))).toEqual([
      expect.stringMatching(/^database: \d+ migrations are missing, the first is 0001_roles$/),
    ])
  })

  test('the doctor names the migration that was edited after the database applied it', async () => {
    const query = async (text: string) => {
      const client = new pg.Client({ connectionString: launched.databaseUrl })
      await client.connect()
      await client.query(text).finally(() => client.end())
    }
    await query("UPDATE migrations SET text = '-- ' || text WHERE name = '0003_checkout'")
    const wrong = await wrongIn(configured())
    await query("UPDATE migrations SET text = substr(text, 4) WHERE name = '0003_checkout'")
    expect(wrong).toEqual([
      expect.stringMatching(
        /^database: Nothing in this database was changed: 0003_checkout\.sql has changed/,
      ),
    ])
  })
})

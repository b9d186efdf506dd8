import { expect, test } from 'vitest'
import type { PageState } from '../schema/api/catalogue.ts'
import { type Brand, defaultBrand } from '../schema/catalogue/brand.ts'
import { marketingPaths } from './content/paths.ts'
import { renderPage, signInScripts } from './render.tsx'

const template = '<head><!--page-head--></head><body><div id="root"><!--page--></div></body>'

function stateOf(changes: {
  brand?: Partial<Brand>
  pro_trial_days?: number
  signed_in?: boolean
  publishable_key?: string
  proxy_url?: string
}): PageState {
  return {
    config: {
      brand: { ...defaultBrand, ...changes.brand },
      clerk: {
        publishable_key: changes.publishable_key ?? 'pk_test',
        proxy_url: changes.proxy_url ?? null,
      },
      sandbox: false,
      sample_editor_url: null,
      editors: {},
      pro_trial_days: changes.pro_trial_days ?? 14,
    },
    signed_in: changes.signed_in ?? false,
  }
}

function render(path: string, changes: Parameters<typeof stateOf>[0] = {}) {
  return renderPage({ path, state: stateOf(changes), template })
}

test.each(marketingPaths)('the page %s is one document with one title and one main heading', async (path) => {
  const html = (await render(path)) ?? ''
  expect(html.match(/<title>/g)).toHaveLength(1)
  expect(html.match(/<h1/g)).toHaveLength(1)
  expect(html).toContain('<meta name="description"')
  expect(await render(`${path}/`.replace('//', '/'))).toBe(html)
})

test('every other path is left to the account’s document', async () => {
  expect(await render('/dashboard')).toBeUndefined()
})

test('a document of the account begins to load Clerk’s script, and with a form the form’s', () => {
  const real = stateOf({ publishable_key: `pk_live_${btoa('clerk.tidemark.example$')}` })
  const npm = 'https://clerk.tidemark.example/npm/@clerk'
  const dashboard = signInScripts({ path: '/dashboard', state: real })
  expect(dashboard).toBe(
    `<link rel="preconnect" href="https://clerk.tidemark.example"><script data-clerk-js-script async crossorigin="anonymous" src="${npm}/clerk-js@6/dist/clerk.browser.js" data-clerk-publishable-key="${real.config.clerk.publishable_key}"></script>`,
  )
  const form = `<link rel="preload" as="script" crossorigin="anonymous" fetchpriority="low" href="${npm}/ui@1/dist/ui.browser.js">`
  for (const path of ['/sign-up', '/sign-in', '/sign-in/factor-one']) {
    expect(signInScripts({ path, state: real })).toBe(dashboard + form)
    expect(signInScripts({ path, state: { ...real, signed_in: true } })).toBe(dashboard)
  }
  expect(signInScripts({ path: '/sign-up-later', state: real })).toBe(dashboard)

  const standIn = stateOf({ proxy_url: '/__clerk' })
  expect(signInScripts({ path: '/dashboard', state: standIn })).toBe(
    '<script data-clerk-js-script async crossorigin="anonymous" src="/__clerk/npm/@clerk/clerk-js@6/dist/clerk.browser.js" data-clerk-publishable-key="pk_test" data-clerk-proxy-url="/__clerk"></script>',
  )
})

test('a link or claim is shown only where it is configured', async () => {
  const configured = {
    docs_url: 'https://docs.acme.test',
    community_url: 'https://forum.acme.test',
    marketplace_url: 'https://marketplace.acme.test',
    marketplace_rating: 4.8,
    security_certification: 'SOC 2 Type II',
  }
  const landing = await render('/', { brand: configured })
  const teams = await render('/teams', { brand: configured })
  for (const text of ['docs.acme.test', 'forum.acme.test', 'marketplace.acme.test', '4.8']) {
    expect(landing).toContain(text)
  }
  expect(teams).toContain('SOC 2 Type II')
  expect(await render('/')).not.toMatch(/href="https?:|\/5\.0/)
  expect(await render('/teams')).not.toMatch(/href="https?:|SOC/)
})

test('the footer links the operator’s documents, and samples of those that are missing', async () => {
  const landing = await render('/', { brand: { terms_url: 'https://acme.test/terms' } })
  expect(landing).toContain('href="https://acme.test/terms"')
  for (const sample of ['/privacy', '/refunds', '/imprint']) expect(landing).toContain(`href="${sample}"`)
  expect(await render('/privacy')).toContain('This is a sample')
})

test('a document that the operator has elsewhere has no sample', async () => {
  const html = await render('/terms', { brand: { terms_url: 'https://acme.test/terms' } })
  expect(html).toContain('href="https://acme.test/terms"')
  expect(html).not.toContain('This is a sample')
})

test.each(marketingPaths)('the page %s promises nothing that no plan includes', async (path) => {
  expect(await render(path)).not.toMatch(
    /unlimited agent|priority support|\bSLA\b|dedicated|with analytics|white-label/i,
  )
})

test('the name of the product is written as text, whatever it contains', async () => {
  const html = await render('/', { brand: { name: '<Acme> & "Co"' } })
  expect(html).toContain('<title>&lt;Acme&gt; &amp; &quot;Co&quot;</title>')
  expect(html).not.toContain('<Acme>')
})

test('a trial is offered only where the server grants one', async () => {
  expect(await render('/pricing', { pro_trial_days: 7 })).toContain('Start 7-Day Free Trial')
  const without = await render('/pricing', { pro_trial_days: 0 })
  expect(without).not.toMatch(/trial/i)
  expect(without).toContain('Get Pro')
})

test('a signed-in user is led to the dashboard and buys without signing up', async () => {
  const landing = await render('/', { signed_in: true })
  expect(landing).toContain('Go to Dashboard')
  expect(landing).not.toContain('href="/sign-in"')
  expect(await render('/pricing', { signed_in: true })).toContain('href="/auth/post-signup?plan=pro&amp;')
})

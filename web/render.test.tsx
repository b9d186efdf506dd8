import { expect, test } from 'vitest'
import type { PageState } from '../schema/api/catalogue.ts'
import { type Brand, defaultBrand } from '../schema/catalogue/brand.ts'
import { personalPlan } from '../schema/catalogue/sold-plans.ts'
import { marketingPaths } from './content/paths.ts'
import { claims } from './content/site/claims.ts'
import { teamsFaq } from './content/site/faq.ts'
import { integrations } from './content/site/integrations.ts'
import { capabilities, features, landing, more, platform, sections } from './content/site/landing.ts'
import { landingCards, pricingCards } from './content/site/plans.ts'
import { quotes, teamFeatures, teamSections, teamSecurity } from './content/site/teams.ts'
import { updates } from './content/site/updates.ts'
import { renderPage, signInScripts } from './render.tsx'
import { testConfig } from './testing/config.ts'

const template = '<head><!--page-head--></head><body><div id="root"><!--page--></div></body>'

function stateOf(changes: {
  brand?: Partial<Brand>
  signed_in?: boolean
  clerk?: Partial<PageState['config']['clerk']>
  maximum_seats?: number
}): PageState {
  return {
    config: {
      ...testConfig,
      brand: { ...defaultBrand, ...changes.brand },
      clerk: { ...testConfig.clerk, ...changes.clerk },
      ...(changes.maximum_seats && { maximum_seats: changes.maximum_seats }),
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
  const real = stateOf({ clerk: { publishable_key: `pk_live_${btoa('clerk.tidemark.example$')}` } })
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

  const standIn = stateOf({ clerk: { proxy_url: '/__clerk' } })
  expect(signInScripts({ path: '/dashboard', state: standIn })).toBe(
    '<script data-clerk-js-script async crossorigin="anonymous" src="/__clerk/npm/@clerk/clerk-js@6/dist/clerk.browser.js" data-clerk-publishable-key="pk_test" data-clerk-proxy-url="/__clerk"></script>',
  )
})

test('links lead where they are configured to, and otherwise to the site’s own pages', async () => {
  const configured = {
    docs_url: 'https://docs.acme.test',
    community_url: 'https://forum.acme.test',
    marketplace_url: 'https://marketplace.acme.test',
  }
  const landing = await render('/', { brand: configured })
  for (const href of Object.values(configured)) expect(landing).toContain(`href="${href}"`)
  const plain = await render('/')
  expect(plain).not.toMatch(/href="https?:/)
  expect(plain).toContain('href="/docs"')
  expect(plain).toContain('subject=Feature%20request')
})

test('the marketing pages offer no more seats than can be bought', async () => {
  for (const path of ['/', '/pricing', '/teams']) {
    expect(await render(path, { maximum_seats: 20 }), path).not.toMatch(/\b100( seats|<)/)
  }
  const pricing = await render('/pricing', { maximum_seats: 20 })
  expect(pricing).toContain('up to 20 seats')
  expect(pricing).toContain('Up to 20<')
})

const cards = [...Object.values(landingCards), ...Object.values(pricingCards)]

test('a claim names its source and its date where they are given', async () => {
  using _own = replaced(claims, {
    ...claims,
    users: { value: '12', label: 'users', source: 'Our database', as_of: 'May 2026' },
  })
  expect(await render('/')).toContain('Our database, as of May 2026')
})

test('every page closes up when all of its content is blanked', async () => {
  const blanks = [claims, landing].map((module) =>
    replaced(module, Object.fromEntries(Object.keys(module).map((name) => [name, null]))),
  )
  const lists = [
    ...[features, platform, more, capabilities, integrations, quotes, teamFeatures, teamSecurity, updates],
    ...cards.map((card) => card.features),
    teamsFaq,
  ]
  // All of them: the cards that are still there hold nothing of a sample.
  blanks.push(
    ...lists.map((list) => replaced(list, [])),
    ...cards.map((card) => replaced(card, { features: [] })),
  )
  try {
    for (const path of ['/', '/pricing', '/teams', '/updates']) {
      const html = (await render(path)) ?? ''
      expect(html, path).not.toMatch(/Sample content|<video|\/5\.0|1M\+|SOC 2|What customers say/)
      expect(
        html.match(/<(ul|ol|dl|section|article|figure|p|dd)[^>]*><\/\1>/),
        `an empty list or section of ${path}`,
      ).toBeNull()
      const titles = [
        sections.integrations,
        sections.productivity.title,
        sections.capabilities.title,
        teamSections.features.title,
        teamSections.security.title,
      ]
      for (const title of titles) expect(html, path).not.toContain(title)
    }
  } finally {
    for (const blank of blanks.reverse()) blank[Symbol.dispose]()
  }
  expect(await render('/')).toContain('4.8/5.0')
})

/** Replaces what content holds until it is disposed of. It is plain data, written for operators to change. */
function replaced(content: object, next: object): Disposable {
  const before = Array.isArray(content) ? [...content] : { ...content }
  const fill = (values: object) => {
    if (Array.isArray(content) && Array.isArray(values)) content.splice(0, content.length, ...values)
    else {
      for (const name of Object.keys(content)) Reflect.deleteProperty(content, name)
      Object.assign(content, values)
    }
  }
  fill(next)
  return { [Symbol.dispose]: () => fill(before) }
}

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

test.each(marketingPaths)('the page %s promises nothing that the ledger refuses', async (path) => {
  expect(await render(path)).not.toMatch(/unlimited (agent|credits|requests)/i)
})

test('the name of the product is written as text, whatever it contains', async () => {
  const html = await render('/', { brand: { name: '<Acme> & "Co"' } })
  expect(html).toContain('<title>&lt;Acme&gt; &amp; &quot;Co&quot;</title>')
  expect(html).not.toContain('<Acme>')
})

test('a trial is offered only where the plan has one', async () => {
  expect(await render('/pricing')).toContain('Start 14-Day Free Trial')
  using _own = replaced(personalPlan, { ...personalPlan, trial_days: 0 })
  const without = await render('/pricing')
  expect(without).not.toMatch(/trial/i)
  expect(without).toContain('Get Pro')
})

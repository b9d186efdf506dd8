import { afterEach, describe, expect, test } from 'vitest'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const product = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const { server, clerk } = product
afterEach(() => clerk.clear('faults'))

const ofOwnPage = { 'sec-fetch-site': 'same-origin' }
const call = (path: string, { headers, ...request }: RequestInit = {}) =>
  fetch(`${server.url}/__sandbox${path}`, { ...request, headers: { ...ofOwnPage, ...headers } })
const post = (path: string, body: object, headers = {}) =>
  call(path, { method: 'POST', body: JSON.stringify(body), headers })

describe('the controls of the stand-ins', () => {
  test.each([
    ['POST', '/stripe/reset'],
    ['POST', '/clerk/users'],
    ['POST', '/clerk/tokens'],
    ['POST', '/stripe/clock/advance/'],
    ['POST', '/stripe/../clerk/tokens'],
    ['POST', '/stripe/%2e%2e/clerk/tokens'],
    ['POST', '/constructor'],
    ['DELETE', '/stripe/clock/advance'],
    ['GET', '/clerk/mails'],
  ])('the controls lead to no other knob: %s %s', async (method, path) => {
    const response = await call(path, { method, ...(method === 'POST' && { body: '{}' }) })
    expect(response.status).toBe(404)
  })

  test('the controls of the stand-ins can be changed from our own page only', async () => {
    for (const site of ['cross-site', 'same-site', 'none', '']) {
      const response = await post('/stripe/clock/advance', { days: 1 }, { 'sec-fetch-site': site })
      expect(response.status, site).toBe(403)
    }
    const own = await post('/stripe/clock/advance', { days: 0 }, { 'sec-fetch-site': 'same-origin' })
    expect(own.status).toBe(200)
  })

  test('the controls of the stand-ins say that a stand-in refused, without its words', async () => {
    const response = await post('/stripe/clock/advance', { days: -1 })
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ code: 'upstream_unavailable' })
  })

  test('the controls of the stand-ins do not exist where the real services are used', async () => {
    await using real = await product.startServer({ settings: { sandbox: false } })
    const response = await fetch(`${real.url}/__sandbox/stripe/clock/advance`, { method: 'POST', body: '{}' })
    expect(response.status).toBe(404)
  })
})

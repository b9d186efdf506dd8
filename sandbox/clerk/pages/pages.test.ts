import { get, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { seeds } from '../seed.ts'
import { testSandbox } from '../testing/sandbox.ts'

const sandbox = testSandbox()

/** `fetch` would add headers of its own, and unpack the body. */
async function getScript(headers: OutgoingHttpHeaders) {
  const response = await new Promise<IncomingMessage>((resolve) =>
    get(`${sandbox.url}${dist}/clerk.browser.js`, { headers }, resolve),
  )
  return { response, body: await buffer(response) }
}

const dist = '/npm/@clerk/clerk-js@6/dist'

test('the browser script comes from the installed package, and is not sent again while it is unchanged', async () => {
  const first = await fetch(`${sandbox.url}${dist}/clerk.browser.js`)
  expect(first.headers.get('content-type')).toContain('text/javascript')
  const script = await first.text()
  expect(script.length).toBeGreaterThan(100_000)

  const again = await getScript({ 'if-modified-since': first.headers.get('last-modified') ?? '' })
  expect(again.response.statusCode).toBe(304)
})

test.each(['/../package.json', '/%2e%2e/package.json', '/..%2fpackage.json', '/nothing.js'])(
  'nothing outside the script folder is served: %s',
  async (path) => {
    expect((await fetch(sandbox.url + dist + path)).status).toBeGreaterThanOrEqual(400)
  },
)

test('avatars are drawn from initials and cannot run anything', async () => {
  const response = await fetch(`${sandbox.url}/avatars/${seeds.demo.id}.svg?v=1`)
  expect(response.headers.get('content-type')).toContain('image/svg+xml')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(await response.text()).toContain('>DD</text>')
})

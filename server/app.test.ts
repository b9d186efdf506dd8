import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { brotliCompressSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { getWebConfig } from '../schema/api/catalogue.ts'
import { initializeUser } from '../schema/api/users.ts'
import { madeOnce } from '../tests/support/made.ts'
import { testProduct, trustingClerk } from '../tests/support/product/start-test-product.ts'
import { waitUntil } from '../tests/support/wait-until.ts'

const web = madeOnce(
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-web-'))
    await mkdir(join(folder, 'assets'))
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>Tidemark</title>')
    await writeFile(join(folder, 'assets/main-abc123.js'), `export const text = '${'x'.repeat(4096)}'`)
    await writeFile(join(folder, 'assets/main-abc123.js.br'), brotliCompressSync('compressed by the build'))
    await writeFile(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
    await writeFile(join(folder, 'demo.webm'), '0123456789')
    await writeFile(join(folder, '.secret'), 'hidden')
    return { folder }
  },
  ({ folder }) => rm(folder, { recursive: true, force: true }),
)
/** Stands in for the sign-in sandbox and reports each request. */
const upstream = madeOnce(
  async () => {
    const listener = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      response.setHeader('set-cookie', ['__client=a; Path=/; HttpOnly', '__client_uat=1; Path=/'])
      response.statusCode = 201
      response.end(
        JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }),
      )
    })
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    return { listener, port: (listener.address() as AddressInfo).port }
  },
  ({ listener }) => listener.close(),
)
const { server, startServer } = testProduct(() => ({
  clerk: 'trusting',
  server: {
    clerk: upstream,
    settings: { web_root: web.folder, clerk_proxy_target: `http://127.0.0.1:${upstream.port}` },
  },
}))

const get = (path: string, init: RequestInit = {}, on = server) => fetch(`${on.url}${path}`, init)
/** Sends the path unchanged; fetch would normalize it. `url`: what reached the sandbox, or null. */
async function raw(path: string, method = 'GET'): Promise<{ status: number; url: string | null }> {
  const { hostname, port } = new URL(server.url)
  const sent = request({ hostname, port, method, path, agent: false })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const body = await text(response)
  return {
    status: response.statusCode ?? 0,
    url: response.statusCode === 201 ? (JSON.parse(body) as { url: string }).url : null,
  }
}

const html = { headers: { accept: 'text/html,*/*;q=0.8' } }

describe('a request', () => {
  test('a request keeps a well-formed id from the caller, in the response and in the log', async () => {
    const response = await get('/api/config', { headers: { 'x-request-id': 'trace-0123456789' } })
    expect(response.headers.get('x-request-id')).toBe('trace-0123456789')
    expect(server.logs).toContainEqual(
      expect.objectContaining({
        request_id: 'trace-0123456789',
        method: 'GET',
        route: '/api/config',
        status: 200,
        duration_ms: expect.any(Number),
      }),
    )
  })

  test.each(['short', 'with space and more', 'x'.repeat(65), 'semi;colon;inside'])(
    'a request with the id %s is given another',
    async (id) => {
      const response = await get('/api/config', { headers: { 'x-request-id': id } })
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    },
  )

  test('a request for an unknown address is a 404, with another method a 405 that names the right one', async () => {
    const missing = await get('/api/nothing')
    expect(missing.status).toBe(404)
    expect(await missing.json()).toEqual({
      error: 'There is nothing at this address',
      code: 'not_found',
      message: 'There is nothing at this address',
      request_id: missing.headers.get('x-request-id'),
    })
    const wrong = await get('/api/billing/credit-purchase')
    expect(wrong.status).toBe(405)
    expect(wrong.headers.get('allow')).toBe('POST')
    expect(await wrong.json()).toMatchObject({ code: 'method_not_allowed' })
    expect((await get('/api/config', { method: 'DELETE' })).status).toBe(405)
    expect((await get('/somewhere', { method: 'POST' })).status).toBe(404)
  })
})

describe('a body', () => {
  const send = (body: string, type: string | null = 'application/json') =>
    get(initializeUser.path, {
      method: 'POST',
      headers: { authorization: 'Bearer user_a', ...(type && { 'content-type': type }) },
      body: new Blob([body], type ? { type } : {}),
    })

  test.each([
    ['of another type', '{}', 'text/plain', 400, 'invalid_content_type'],
    ['of a form', 'a=1', 'application/x-www-form-urlencoded', 400, 'invalid_content_type'],
    ['without a type', '{}', null, 400, 'invalid_content_type'],
    ['that is not JSON', '{"a":', 'application/json', 400, 'invalid_json'],
    ['that is empty', '', 'application/json', 400, 'invalid_json'],
    ['that is a list', '[]', 'application/json', 400, 'invalid_request'],
    ['over 64 KiB', JSON.stringify({ a: 'x'.repeat(64 * 1024) }), 'application/json', 413, 'body_too_large'],
  ])('a body %s is refused', async (_, body, type, status, code) => {
    const response = await send(body, type)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ code, error: expect.any(String) })
  })
})

describe('an answer', () => {
  test('an answer that does not match its contract is a 500 that reveals nothing', async () => {
    await using broken = await startServer({
      settings: { brand: { ...server.deps.settings.brand, support_email: 'SECRET-not-an-address' } },
    })
    const { status, body } = await broken.api(getWebConfig)
    expect(status).toBe(500)
    expect(body).toMatchObject({ code: 'internal_error', error: 'An unexpected error occurred' })
    expect(JSON.stringify(body)).not.toContain('SECRET')
    expect(broken.logs).toContainEqual(
      expect.objectContaining({
        level: 'error',
        err: expect.objectContaining({ message: expect.any(String) }),
      }),
    )
  })

  test('an answer to an unexpected error shows no stack and no SQL', async () => {
    await using broken = await startServer({
      deps: {
        clerk: {
          ...trustingClerk,
          getProfile: () => Promise.reject(new Error('SELECT secret FROM users')),
        },
      },
    })
    const body = {
      clerkUser: { id: 'user_a', emailAddresses: [], firstName: null, lastName: null },
      planType: 'starter',
    }
    const answer = await broken.api(initializeUser, { token: 'user_a', body })
    expect(answer.status).toBe(500)
    expect(JSON.stringify(answer.body)).not.toMatch(/SELECT|secret|at \w+/)
    expect(JSON.stringify(broken.logs)).toContain('SELECT secret FROM users')
  })

  test('an answer carries a strict policy and no HSTS on plain http', async () => {
    const { headers } = await get('/')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'self'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("object-src 'none'")
    expect(policy).not.toContain('upgrade-insecure-requests')
    const features = (headers.get('permissions-policy') ?? '').split(', ')
    expect(features).toEqual(expect.arrayContaining(['camera=()', 'microphone=()', 'payment=()', 'usb=()']))
    for (const feature of features) expect(feature).toMatch(/^[a-z-]+=\((self)?\)$/)
    expect(headers.get('strict-transport-security')).toBeNull()
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-powered-by')).toBeNull()
  })

  test('an answer allows forms to Stripe’s pages where Stripe is real, and asks for https', async () => {
    await using real = await startServer({
      env: {
        CLERK_PUBLISHABLE_KEY: `pk_test_${Buffer.from('able-ant-1.clerk.accounts.dev$').toString('base64')}`,
      },
      settings: { clerk_proxy_target: undefined, stripe_api_base: undefined, app_url: 'https://app.example' },
    })
    const { headers } = await get('/', {}, real)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("form-action 'self' https://checkout.stripe.com https://billing.stripe.com")
    expect(policy).toContain('upgrade-insecure-requests')
    expect(headers.get('strict-transport-security')).toContain('max-age=31536000')
  })

  test('an answer of the API allows no sources, and has none of the headers that only pages need', async () => {
    await using real = await startServer({
      settings: { app_url: 'https://app.example' },
    })
    for (const path of ['/api/config', '/api/nothing']) {
      const { headers } = await get(path, {}, real)
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      })
      expect([...headers.keys()]).not.toContain('permissions-policy')
      expect([...headers.keys()]).not.toContain('cross-origin-opener-policy')
    }
  })
})

describe('the web app', () => {
  test.each(['/', '/dashboard', '/billing/success?session_id=cs_1', '/invite/org_1/inv_1'])(
    'the web app answers %s with its page, never from an old copy',
    async (path) => {
      const response = await get(path, html)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toContain('text/html')
      expect(response.headers.get('cache-control')).toBe('no-cache')
      expect(await response.text()).toContain('<title>Tidemark</title>')
    },
  )

  test('the web app sends what was compressed as well as possible, and leaves headers of pages out of files', async () => {
    const accepts = { 'accept-encoding': 'gzip, br, zstd' }
    const file = await get('/assets/main-abc123.js', { headers: accepts })
    expect(file.headers.get('content-encoding')).toBe('br')
    expect(file.headers.get('content-type')).toContain('javascript')
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(await file.text()).toBe('compressed by the build')
    expect(file.headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'")
    expect(file.headers.get('permissions-policy')).toBeNull()

    const page = await get('/dashboard', { headers: { ...html.headers, ...accepts } })
    expect(page.headers.get('content-encoding')).toBe('br')
    expect(page.headers.get('vary')).toContain('Accept-Encoding')
    expect(page.headers.get('permissions-policy')).toContain('camera=()')
    expect(await page.text()).toBe(await (await get('/dashboard', html)).text())
  })

  test('the web app does not answer a missing file with a page, and serves no hidden files or files outside the folder', async () => {
    expect((await get('/assets/main-old.js')).status).toBe(404)
    expect((await get('/missing.js')).status).toBe(404)
    expect((await get('/favicon.svg')).status).toBe(200)
    for (const path of ['/.secret', '/..%2f..%2fetc%2fpasswd', '/%2e%2e/%2e%2e/etc/passwd', '/%00', '/%']) {
      const response = await get(path, html)
      expect(await response.text()).not.toMatch(/root:|hidden/)
      expect(response.status).toBeLessThan(500)
    }
  })

  test('the web app sends the part of a video that is asked for, without which Safari plays none', async () => {
    const part = async (range: string) => {
      const response = await get('/demo.webm', { headers: { range } })
      const { status, headers } = response
      return [status, headers.get('content-range'), await response.text()]
    }
    expect(await part('bytes=0-1')).toEqual([206, 'bytes 0-1/10', '01'])
    expect(await part('bytes=7-')).toEqual([206, 'bytes 7-9/10', '789'])
    expect(await part('bytes=8-400')).toEqual([206, 'bytes 8-9/10', '89'])
    for (const wrong of ['bytes=10-', 'bytes=5-2', 'bytes=-3', 'lines=0-1', '']) {
      expect(await part(wrong)).toEqual([200, null, '0123456789'])
    }
  })

  test('the web app answers a marketing page that was rendered from the settings, once for each who may be signed in', async () => {
    const root = await mkdtemp(join(tmpdir(), 'tidemark-site-'))
    onTestFinished(() => rm(root, { recursive: true }))
    await buildSite(root)
    await using built = await startServer({
      settings: { web_root: join(root, 'client') },
    })
    const ask = async (headers: Record<string, string>) =>
      get('/about/', { headers: { ...html.headers, ...headers } }, built)

    const first = await ask({})
    expect(first.status).toBe(200)
    expect(first.headers.get('cache-control')).toBe('no-cache')
    expect(first.headers.get('vary')).toContain('Cookie')
    const text = await first.text()
    expect(text).toContain('<p>/about signed_in=false rendered=1</p>')
    const state = JSON.parse(/id="page-state">(.*)<\/script>/.exec(text)?.[1] ?? '')
    expect(state).toEqual({
      config: await built.api(getWebConfig, {}).then(({ body }) => body),
      signed_in: false,
    })

    expect(await (await ask({ cookie: 'a=1; __client_uat=0' })).text()).toBe(text)
    const known = { 'if-none-match': first.headers.get('etag') ?? '', 'cache-control': 'max-age=0' }
    expect((await ask(known)).status).toBe(304)
    for (const cookie of ['__client_uat=17', 'a=b; __client_uat_x-Y=17']) {
      expect(await (await ask({ cookie })).text()).toContain('<p>/about signed_in=true rendered=2</p>')
    }
    const dashboard = await (await get('/dashboard', html, built)).text()
    expect(dashboard).toContain(
      'the account’s document<script src="/clerk.js?form=false&signed_in=false"></script></head>',
    )
    expect(await (await get('/sign-up', html, built)).text()).toContain('form=true')
    expect(text).not.toContain('clerk.js')

    const missing = await get('/nowhere', html, built)
    expect(missing.status).toBe(404)
    expect(await missing.text()).toContain('the account’s document')
  })

  test('the web app says what to do when it is not built', async () => {
    await using unbuilt = await startServer({
      settings: { web_root: '/nonexistent' },
    })
    const response = await get('/', html, unbuilt)
    expect(response.status).toBe(503)
    expect(await response.text()).toContain('npm run build')
  })
})

/** The output of `npm run build`, with a renderer that echoes its input. */
async function buildSite(root: string): Promise<void> {
  const document = (text: string) =>
    `<!doctype html><head>${text}</head><script type="application/json" id="page-state"></script>`
  await mkdir(join(root, 'client'))
  await mkdir(join(root, 'server'))
  await writeFile(join(root, 'client/index.html'), document('the account’s document'))
  await writeFile(join(root, 'client/marketing.html'), document('<!--page-->'))
  await writeFile(
    join(root, 'server/render.js'),
    `export const paths = ['/about']
    export const signInScripts = ({ path, state }) =>
      '<script src="/clerk.js?form=' + (path === '/sign-up') + '&signed_in=' + state.signed_in + '"></script>'
    export const isPage = (path) => ['/about', '/dashboard'].includes(path)
     let rendered = 0
     export async function renderPage({ path, state, template }) {
       rendered += 1
       return template.replace('<!--page-->', '<p>' + path + ' signed_in=' + state.signed_in + ' rendered=' + rendered + '</p>')
     }`,
  )
  await writeFile(join(root, 'package.json'), '{"type":"module"}')
}

describe('the proxy to the sign-in sandbox', () => {
  test('the proxy forwards path, method, body and cookies, and the caller’s address', async () => {
    const response = await get('/__clerk/v1/client/sign_ups?_method=PATCH', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: '__client=a' },
      body: 'email_address=a%40b.test',
    })
    expect(response.status).toBe(201)
    expect(response.headers.getSetCookie()).toEqual([
      '__client=a; Path=/; HttpOnly',
      '__client_uat=1; Path=/',
    ])
    expect(await response.json()).toMatchObject({
      method: 'POST',
      url: '/v1/client/sign_ups?_method=PATCH',
      body: 'email_address=a%40b.test',
      headers: {
        cookie: '__client=a',
        host: new URL(server.url).host,
        'x-forwarded-for': expect.stringContaining('127.0.0.1'),
        'x-forwarded-proto': 'http',
      },
    })
    // The answer has passed through before the server is done with it.
    await waitUntil(
      () => server.logs.some(({ route, status }) => route === 'clerk-proxy' && status === 201),
      'the line in the log',
    )
  })

  test.each([
    '/v1/environment',
    '/v1/client?_clerk_js_version=5',
    '/v1/client/sessions/sess_2a/tokens',
    '/v1/me/organization_memberships/org_2a',
    '/npm/@clerk/clerk-js@5.128.0/dist/clerk.browser.js',
    '/npm/@clerk/clerk-js@5/dist/vendors_8f-0.a1_5.js',
    '/avatars/user_2a.svg?v=1',
  ])('the proxy forwards %s, which a browser needs', async (path) => {
    expect(await raw(`/__clerk${path}`)).toMatchObject({ status: 201, url: path })
  })

  test.each([
    '/_sandbox/users',
    '/%5fsandbox/users',
    '//_sandbox/users',
    '/v1//_sandbox/users',
    '/v1/%2e%2e/_sandbox/users',
    '/v1/..%2f_sandbox/users',
    '/v1/..;/_sandbox/users',
    '/npm/@clerk/x/..%2f..%2f_sandbox/users',
    '/avatars/../_sandbox/users.svg',
    '/_sandbox/users?/v1/client',
    '/_sandbox/users/avatars/a.svg',
    '/bapi/v1/users',
    '/V1/../bapi/v1/users',
    '/',
    '',
  ])('the proxy to the sign-in sandbox never forwards %s', async (path) => {
    for (const method of ['GET', 'POST']) {
      expect(await raw(`/__clerk${path}`, method), method).toMatchObject({ url: null })
    }
  })

  test.each([
    '//__clerk/_sandbox/users',
    '/__CLERK/_sandbox/users',
    '/api/../__clerk/_sandbox/users',
    'http://localhost/__clerk/_sandbox/users',
    'http://localhost//_sandbox/users',
  ])('the proxy to the sign-in sandbox cannot be reached by another name: %s', async (target) => {
    expect(await raw(target, 'POST')).toMatchObject({ url: null })
  })

  test('the proxy to the sign-in sandbox answers a 502 in our form when nothing answers', async () => {
    await using lost = await startServer()
    const response = await get('/__clerk/v1/environment', {}, lost)
    expect(response.status).toBe(502)
    expect(await response.json()).toMatchObject({ code: 'upstream_unavailable' })
  })
})

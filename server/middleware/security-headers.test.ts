import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { startTestServer } from '../../tests/support/product/test-server.ts'

const frontendApi = 'https://clerk.tidemark.example'

/**
 * What Clerk documents as necessary, with the frontend API of this test in the place of the reader's own.
 * Source: https://clerk.com/docs/guides/secure/best-practices/csp-headers, as of 2026-11-22. Of connect-src
 * it says: "The trailing :* is required: Clerk's abuse and fraud protection hosts are served on ports other
 * than 443".
 */
const documented = {
  'script-src': [frontendApi, 'https://challenges.cloudflare.com', 'https://*.protect.clerk.com'],
  'connect-src': [frontendApi, 'https://*.protect.clerk.com:*'],
  'img-src': ['https://img.clerk.com'],
  'worker-src': ["'self'", 'blob:'],
  'style-src': ["'unsafe-inline'"],
  'frame-src': ['https://challenges.cloudflare.com', 'https://*.protect.clerk.com'],
} as const

const database = testDatabase()

async function policyWith(settings: { clerk_proxy_target: string | undefined }) {
  await using server = await startTestServer({
    databaseUrl: database.url,
    env: { CLERK_PUBLISHABLE_KEY: `pk_live_${btoa('clerk.tidemark.example$')}` },
    settings,
  })
  const { headers } = await fetch(`${server.url}/healthz`)
  const directives = (headers.get('content-security-policy') ?? '').split(';')
  return new Map(
    directives.map((directive): [string, string[]] => {
      const [name = '', ...sources] = directive.trim().split(/\s+/)
      return [name, sources]
    }),
  )
}

describe('the content security policy', () => {
  test.each(Object.entries(documented))(
    'the content security policy allows the sources that Clerk documents for %s',
    async (name, sources) => {
      const policy = await policyWith({ clerk_proxy_target: undefined })
      expect(policy.get(name)).toEqual(expect.arrayContaining([...sources]))
    },
  )

  test('the content security policy allows no script and no frame of others, and with the stand-in none at all', async () => {
    const policy = await policyWith({ clerk_proxy_target: undefined })
    expect(policy.get('script-src')).toEqual(["'self'", ...documented['script-src']])
    expect(policy.get('frame-src')).toEqual(["'self'", ...documented['frame-src']])
    const local = await policyWith({ clerk_proxy_target: 'http://localhost:4243' })
    expect(local.get('script-src')).toEqual(["'self'"])
    expect(local.get('connect-src')).toEqual(["'self'"])
    expect(local.get('frame-src')).toEqual(["'self'"])
  })
})

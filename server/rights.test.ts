import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { madeOnce } from '../tests/support/made.ts'
import { type Case, cases, makeCallers, nameOf, prepareCall } from '../tests/support/product/example-calls.ts'
import { testProduct } from '../tests/support/product/start-test-product.ts'
import { type Actor, actors } from './rights.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { database, server } = product
const callers = madeOnce(() => makeCallers(product))

function refusalOf({ path, row, endpoint }: Case, actor: Actor): object {
  const status = row.answers[actor]
  if (status === 401 && endpoint?.auth === 'user') return { code: 'unauthenticated' }
  if (status === 404 && (row.about !== undefined || path.startsWith('/api/organizations/'))) {
    return { code: path.startsWith('/api/extension') ? 'payer_not_found' : 'organization_not_found' }
  }
  if (status !== 403) return { code: expect.any(String) }
  if (actor !== 'member' || row.doing === undefined) return { code: 'forbidden' }
  return { code: 'not_admin', error: `Only organization administrators can ${row.doing}.` }
}

/** Without the id of the request: an organization of others answers like one that does not exist. */
const bare = (text: string) => ({
  ...(JSON.parse(text.replaceAll(callers.org.id, 'org_unknown')) as object),
  request_id: '',
})

/**
 * A hash of each table's rows, except when a token was last used and the audit log, which has refused calls
 * of support.
 */
async function everything(): Promise<unknown> {
  return (await all.query.execute(database.owner)).rows
}

const all = madeOnce(async () => {
  const { rows } = await sql<{ name: string }>`
    SELECT c.oid::regclass::text AS name FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'audit_log'`.execute(
    database.owner,
  )
  const tables = rows.map(({ name }) => {
    const row = sql`(to_jsonb(t) - 'last_used_at')::text`
    const hash = sql`md5(string_agg(${row}, ',' ORDER BY ${row} COLLATE "C"))`
    return sql`SELECT ${sql.lit(name)} AS name, ${hash} AS hash FROM ${sql.table(name)} t`
  })
  return { query: sql`${sql.join(tables, sql` UNION ALL `)}` }
})

describe('the rights of every route', () => {
  test.each(cases.map((route) => [nameOf(route), route] as const))(
    'the call %s answers each actor by its rights, and a refused call changes nothing',
    async (_, route) => {
      const { answers } = route.row
      const refused = []
      for (const actor of actors.filter((actor) => answers[actor] >= 400)) {
        refused.push({ actor, call: await prepareCall(callers, route, actor) })
      }
      const before = await everything()
      for (const { actor, call } of refused) {
        const { status, text } = await call()
        expect(status, `${actor}: ${text}`).toBe(answers[actor])
        expect(JSON.parse(text), actor).toMatchObject(refusalOf(route, actor))
        if (status === 404) expect(bare(text)).toEqual(bare((await call('org_unknown')).text))
      }
      if (refused.length > 0) expect(await everything()).toEqual(before)
      for (const actor of actors.filter((actor) => answers[actor] < 400)) {
        const call = await prepareCall(callers, route, actor)
        const { status, text } = await call()
        expect(status, `${actor}: ${text}`).toBe(answers[actor])
      }
    },
  )

  test('the rights are checked for every call of the contract, and for routes that are not in it', async () => {
    const headers = { authorization: `Bearer ${callers.people.support.token}` }
    const answer = await fetch(`${server.url}/api/support/openapi.json`, { headers })
    const { paths } = (await answer.json()) as { paths: Record<string, Record<string, unknown>> }
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const documents = ['GET /api/openapi.json', 'GET /api/support/openapi.json']
    const webhooks = ['POST /api/stripe/webhook', 'POST /api/clerk/webhook']
    const links = ['GET /mail/unsubscribe', 'POST /mail/unsubscribe']
    const beside = [...documents, ...webhooks, ...links, 'GET /healthz', 'GET /readyz']
    const walked = new Set(cases.map(({ method, path }) => `${method} ${path}`))
    expect([...walked].toSorted()).toEqual([...new Set([...documented, ...beside])].toSorted())
  })
})

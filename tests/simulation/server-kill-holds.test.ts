import { afterAll, expect, test } from 'vitest'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { testDatabase } from '../support/database/test-database.ts'
import { buildEditor } from '../support/factories/editors.ts'
import { user } from '../support/factories/grants.ts'
import { startFaultProxy } from '../support/faults/fault-proxy.ts'
import { madeOnce } from '../support/made.ts'
import { type ProductProcess, startProductProcess } from '../support/product/product-process.ts'

/** A server that is killed while an editor reserves and settles; the editor asks the next server again. */

const database = testDatabase()
const proxy = madeOnce(
  () => startFaultProxy(database.url),
  (made) => {
    made.cut()
    return made.close()
  },
)
const next = madeOnce(
  () => startProductProcess('server', { databaseUrl: database.url }),
  (made) => made.kill(),
)
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

async function buildAsker() {
  const { user_id, token } = await buildEditor(database, { purchased: 100 })
  const ask = async (server: ProductProcess, method: string, path: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${server.ready.port}/api/extension/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await response.json()) as { hold?: { id: string }; replayed?: boolean; charged?: number }
  }
  const reserve = (server: ProductProcess) =>
    ask(server, 'POST', 'holds', { credits: 75, idempotency_key: 'chat-1' })
  const settle = (server: ProductProcess, id: string) =>
    ask(server, 'POST', `holds/${id}/settle`, { credits: 60 })
  return {
    reserve,
    settle,
    /** Asks a server that is killed at a statement; it has looked up the token before. */
    async abandon(statement: number, moment: 'before' | 'after', call: (server: ProductProcess) => unknown) {
      const server = await startProductProcess('server', { databaseUrl: proxy.url(database.url) })
      await ask(server, 'GET', 'balance')
      proxy.strike({ statement, moment, action: () => process.kill(server.pid, 'SIGKILL') })
      await expect(call(server)).rejects.toThrow()
      await server.ended
    },
    balance: async () => {
      const { purchased, held } = await findBalance(database.owner, user(user_id))
      return { purchased, held }
    },
  }
}

test.each([
  { moment: 'before', held: 0, replayed: false },
  { moment: 'after', held: 75, replayed: true },
] as const)(
  'a reservation whose server is killed $moment the commit is there once when it is asked for again',
  async ({ moment, held, replayed }) => {
    const { abandon, reserve, balance } = await buildAsker()
    await abandon(1, moment, reserve)
    expect(await balance()).toEqual({ purchased: 100, held })
    expect(await reserve(next)).toMatchObject({ replayed, hold: { state: 'open', credits: 75 } })
    expect(await balance()).toEqual({ purchased: 100, held: 75 })
  },
)

test.each([
  { moment: 'before', left: { purchased: 100, held: 75 }, replayed: false },
  { moment: 'after', left: { purchased: 40, held: 0 }, replayed: true },
] as const)(
  'a settlement whose server is killed $moment the commit is charged once when it is asked for again',
  async ({ moment, left, replayed }) => {
    const { abandon, reserve, settle, balance } = await buildAsker()
    const { hold } = await reserve(next)
    // The first statement looks for the hold.
    await abandon(2, moment, (server) => settle(server, hold?.id ?? ''))
    expect(await balance()).toEqual(left)
    expect(await settle(next, hold?.id ?? '')).toMatchObject({ charged: 60, replayed })
    expect(await balance()).toEqual({ purchased: 40, held: 0 })
  },
)

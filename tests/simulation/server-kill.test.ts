import { afterAll, describe, expect, test } from 'vitest'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { testDatabase } from '../support/database/test-database.ts'
import { buildEditor } from '../support/factories/editors.ts'
import { type Strike, startFaultProxy } from '../support/faults/fault-proxy.ts'
import { isLong } from '../support/long.ts'
import { madeOnce } from '../support/made.ts'
import { type ProductProcess, startProductProcess } from '../support/product/product-process.ts'
import { tried } from '../support/tried.ts'

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

/** Asks a server, once it is ready, that is killed at a statement. */
async function abandon({ prepare, ...strike }: Strike & { prepare?: Ask }, ask: Ask) {
  const server = await startProductProcess('server', { databaseUrl: proxy.url(database.url) })
  await prepare?.(server)
  proxy.strike({ ...strike, action: () => process.kill(server.pid, 'SIGKILL') })
  tried({ kills: 1 })
  await expect(ask(server)).rejects.toThrow()
  await server.ended
}

type Ask = (server: ProductProcess) => Promise<unknown>

describe('an editor asks the next server again', () => {
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
    return {
      reserve: (server: ProductProcess) =>
        ask(server, 'POST', 'holds', { credits: 75, idempotency_key: 'chat-1' }),
      settle: (server: ProductProcess, id = '') => ask(server, 'POST', `holds/${id}/settle`, { credits: 60 }),
      /** After it the server does not look for the token again. */
      readBalance: (server: ProductProcess) => ask(server, 'GET', 'balance'),
      balance: async () => {
        const { purchased, held } = await findBalance(database.owner, user_id)
        return { purchased, held }
      },
    }
  }

  test.for(
    isLong
      ? ([
          { moment: 'before', held: 0, replayed: false },
          { moment: 'after', held: 75, replayed: true },
        ] as const)
      : [],
  )(
    'a reservation whose server is killed $moment the commit is there once when it is asked for again',
    async ({ moment, held, replayed }) => {
      const { reserve, readBalance, balance } = await buildAsker()
      // The first statement reads who pays.
      await abandon({ statement: 2, moment, prepare: readBalance }, reserve)
      expect(await balance()).toEqual({ purchased: 100, held })
      expect(await reserve(next)).toMatchObject({ replayed, hold: { state: 'open', credits: 75 } })
      expect(await balance()).toEqual({ purchased: 100, held: 75 })
    },
  )

  test.for([
    { moment: 'before', left: { purchased: 100, held: 75 }, replayed: false },
    { moment: 'after', left: { purchased: 40, held: 0 }, replayed: true },
  ] as const)(
    'a settlement whose server is killed $moment the commit is charged once when it is asked for again',
    async ({ moment, left, replayed }) => {
      const { reserve, settle, readBalance, balance } = await buildAsker()
      const { hold } = await reserve(next)
      // The first statement looks for the hold.
      await abandon({ statement: 2, moment, prepare: readBalance }, (server) => settle(server, hold?.id))
      expect(await balance()).toEqual(left)
      expect(await settle(next, hold?.id)).toMatchObject({ charged: 60, replayed })
      expect(await balance()).toEqual({ purchased: 40, held: 0 })
    },
  )
})

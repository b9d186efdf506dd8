import { randomUUID } from 'node:crypto'
import type { Reservation, Usage } from '../../../schema/ledger/spend/usage.ts'
import { createUsageGroups } from '../../../schema/ledger/spend/usage-groups.ts'
import { connectProduct, repeat } from '../database-load.ts'
import type { Bench, Line, Row } from '../row.ts'
import { createProduct } from '../sides.ts'
import { takeTurns } from '../turns.ts'
import { anyWallet, hotPool } from '../wallets.ts'

/** As many calls as editors have under way at once. */
const callers = 32

export const holds: Row = {
  name: 'holds',
  about: 'Reservations, alone and with their settlement, in the groups of a server, beside plain usage',
  measure,
}

async function measure(bench: Bench): Promise<Line[]> {
  await using running = new AsyncDisposableStack()
  const product = await createProduct(bench.machine, running)
  const { db, close } = connectProduct(product.place.databaseUrl, 'tidemark_server')
  running.defer(close)
  const spend = createUsageGroups(db)

  const use = (owner: () => Owner) => () => spend(usageOf(owner()))
  // A person may have 50 open holds.
  const reserve = (owner: () => Owner) => () => spend(reservationOf(owner(), anyOf(10_000)))
  const settle = (owner: () => Owner) => async () => {
    const payer = owner()
    const asked = reservationOf(payer, memberOf(payer))
    const { hold } = await spend(asked)
    await spend({ ...asked, action: 'settle', hold_id: hold?.id ?? '', credits: 1 })
  }
  const side = (call: () => Promise<unknown>) => (seconds: number) =>
    repeat(call, { seconds, connections: callers })
  const hot = () => hotPool
  const figures = await takeTurns(bench, {
    use: side(use(anyWallet)),
    reserve: side(reserve(anyWallet)),
    settle: side(settle(anyWallet)),
    hotUse: side(use(hot)),
    hotReserve: side(reserve(hot)),
    hotSettle: side(settle(hot)),
  })
  const line = { row: 'holds', unit: 'calls/s' }
  const lines = (
    where: string,
    floor: readonly number[],
    reserved: readonly number[],
    settled: readonly number[],
  ) => [
    { ...line, what: `reserve, ${where}`, measured: reserved, floor, target: { at_least: 0.7 } },
    { ...line, what: `reserve and settle, ${where}`, measured: settled, floor, target: { at_least: 0.4 } },
  ]
  return [
    ...lines('1,000 wallets', figures.use, figures.reserve, figures.settle),
    ...lines('one hot pool', figures.hotUse, figures.hotReserve, figures.hotSettle),
  ]
}

type Owner = Pick<Usage, 'owner_kind' | 'owner_id'>

function asked(owner: Owner, actor: string) {
  return {
    ...owner,
    actor,
    occurred_at: new Date(),
    credits: 1,
    idempotency_key: randomUUID(),
    reason: 'Completion',
  }
}

const anyOf = (persons: number) => `user_bench_${Math.floor(Math.random() * persons)}`
const memberOf = (owner: Owner) => (owner.owner_kind === 'user' ? owner.owner_id : anyOf(500))

/** With labels, as editors report it. */
function usageOf(owner: Owner): Usage {
  return { ...asked(owner, memberOf(owner)), model: 'model-1', project: 'bench' }
}

function reservationOf(owner: Owner, actor: string): Reservation {
  return { ...asked(owner, actor), action: 'reserve', lasting_s: 900, model: 'model-1', project: 'bench' }
}

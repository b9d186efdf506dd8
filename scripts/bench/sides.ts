import type pg from 'pg'
import { connectBare } from './database-load.ts'
import { createFloorTables } from './floors/tables.ts'
import type { Machine, Place, QueueKind } from './machine.ts'
import type { BenchProcess } from './process.ts'
import { createWallets } from './wallets.ts'

/** The product or a floor, in a database of its own. */
export interface Part {
  readonly kind: 'product' | 'floor'
  readonly place: Place
  /** As the tables' owner. */
  readonly pool: pg.Pool
}

/** The product with its wallets. Ends with the row. */
export function createProduct(
  machine: Machine,
  running: AsyncDisposableStack,
  queues?: QueueKind,
): Promise<Part> {
  return createPart('product', machine, running, queues)
}

export function createFloor(
  machine: Machine,
  running: AsyncDisposableStack,
  queues?: QueueKind,
): Promise<Part> {
  return createPart('floor', machine, running, queues)
}

async function createPart(
  kind: Part['kind'],
  machine: Machine,
  running: AsyncDisposableStack,
  queues = machine.queues,
): Promise<Part> {
  const place = await machine.createPlace(queues)
  const pool = connectBare(place.databaseUrl)
  running.defer(() => pool.end())
  if (kind === 'floor') await createFloorTables(pool)
  else await createWallets(place.databaseUrl, pool)
  return { kind, place, pool }
}

export async function startServer(machine: Machine, running: AsyncDisposableStack, { kind, place }: Part) {
  const server = await machine.startServer(kind, place)
  running.defer(() => server.stop())
  return server
}

export async function startWorker(
  machine: Machine,
  running: AsyncDisposableStack,
  { kind, place }: Part,
): Promise<BenchProcess> {
  const worker = await machine.startWorker(kind, place)
  running.defer(() => worker.stop())
  return worker
}

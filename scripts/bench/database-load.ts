import pg from 'pg'
import {
  connectDatabase,
  type DatabaseActor,
  type DatabaseConnection,
} from '../../schema/database/connect.ts'
import { createPool } from '../../schema/database/pool.ts'

/** As many connections as the figures were taken with: more bring nothing on a few cores. */
const databaseConnections = 20

const onError = () => undefined

/** As the product connects. */
export function connectProduct(databaseUrl: string, role: DatabaseActor): DatabaseConnection {
  return connectDatabase({ connectionString: databaseUrl, role, poolMax: databaseConnections, onError })
}

/** The same driver and nothing else. */
export function connectBare(databaseUrl: string): pg.Pool {
  return createPool({ connectionString: databaseUrl, max: databaseConnections, types: pg.types }, onError)
}

/** Does the same over all connections until the time is over, and then what is left to be done; returns how often a second. */
export async function repeat(
  work: () => Promise<unknown>,
  seconds: number,
  finish: () => Promise<unknown> = async () => undefined,
): Promise<number> {
  const started = performance.now()
  const end = started + seconds * 1000
  let times = 0
  await Promise.all(
    Array.from({ length: databaseConnections }, async () => {
      while (performance.now() < end) {
        await work()
        times += 1
      }
    }),
  )
  await finish()
  return times / ((performance.now() - started) / 1000)
}

import pg from 'pg'
import {
  connectDatabase,
  type DatabaseActor,
  type DatabaseConnection,
} from '../../schema/database/connect.ts'
import { createPool } from '../../schema/database/pool.ts'

/** More bring nothing on a few cores. */
const mostConnections = 20

const onError = () => undefined

/** As the product connects. */
export function connectProduct(databaseUrl: string, role: DatabaseActor): DatabaseConnection {
  return connectDatabase({ connectionString: databaseUrl, role, poolMax: mostConnections, onError })
}

/** The same driver and nothing else. */
export function connectBare(databaseUrl: string): pg.Pool {
  return createPool({ connectionString: databaseUrl, max: mostConnections, types: pg.types }, onError)
}

/** Does the same over so many connections until the time is over; returns how often a second. */
export async function repeat(
  work: () => Promise<unknown>,
  { seconds, connections = mostConnections }: { readonly seconds: number; readonly connections?: number },
): Promise<number> {
  const started = performance.now()
  const end = started + seconds * 1000
  let times = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) {
        await work()
        times += 1
      }
    }),
  )
  return times / ((performance.now() - started) / 1000)
}

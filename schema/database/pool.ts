import pg from 'pg'
import { prepareMarkedStatements } from './prepared.ts'

/**
 * A pool whose connections may be lost without ending the process. The pool itself only listens to idle clients: one that is
 * in use when Postgres stops emits an error without a listener, which ends a Node process. The running query is
 * rejected all the same; `onError` is for the log.
 */
export function createPool(config: pg.PoolConfig, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({ keepAlive: true, ...config })
  pool.on('error', onError)
  pool.on('connect', (client) => {
    client.on('error', onError)
    prepareMarkedStatements(client)
  })
  return pool
}

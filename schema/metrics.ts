import type { Pool } from 'pg'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { build } from './build.ts'

export type MeasuredPool = Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>

/** What server and worker measure alike. One for each, so that several in one process (tests) share no counters. */
export function createRegistry(pool?: MeasuredPool): Registry {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'tidemark_build_info',
    help: 'Always 1: the version and the commit that run here',
    labelNames: ['version', 'revision'],
    registers,
  }).set(build, 1)
  new Gauge({
    name: 'tidemark_database_connections',
    help: 'Connections to the database: in_use, idle, and calls that are waiting for one',
    labelNames: ['state'],
    registers,
    collect() {
      if (!pool) return
      this.set({ state: 'in_use' }, pool.totalCount - pool.idleCount)
      this.set({ state: 'idle' }, pool.idleCount)
      this.set({ state: 'waiting' }, pool.waitingCount)
    },
  })
  return registry
}

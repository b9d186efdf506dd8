import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { openMachine } from './machine.ts'
import {
  describeMachine,
  describeTable,
  type Report,
  readCommit,
  writeDocument,
  writeReport,
} from './report.ts'
import type { Line, Row } from './row.ts'
import { accept } from './rows/accept.ts'
import { balance } from './rows/balance.ts'
import { growth } from './rows/growth.ts'
import { history } from './rows/history.ts'
import { holds } from './rows/holds.ts'
import { latency } from './rows/latency.ts'
import { posting } from './rows/posting.ts'
import { settle } from './rows/settle.ts'
import { steady } from './rows/steady.ts'
import { usage } from './rows/usage.ts'
import { verify } from './rows/verify.ts'

const rows: readonly Row[] = [
  posting,
  accept,
  settle,
  steady,
  latency,
  balance,
  usage,
  holds,
  history,
  growth,
  verify,
]

/** What a worker has by default (DATABASE_POOL_MAX). */
const workerConnections = 10

// The watchdog ends what was started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
await main()

/**
 * `npm run bench`: measures the product beside the least that this machine can do for the same work. It
 * asserts nothing. `npm run bench -- accept settle` measures these rows only; see docs/performance.md.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      pairs: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '1' },
      full: { type: 'boolean', default: false },
      connections: { type: 'string', default: String(workerConnections) },
      'write-docs': { type: 'boolean', default: false },
    },
  })
  const unknown = positionals.filter((name) => !rows.some((row) => row.name === name))
  if (unknown.length > 0) {
    throw new Error(`There is no row ${unknown.join(', ')}: ${rows.map(({ name }) => name).join(', ')}`)
  }
  if (values['write-docs'] && positionals.length > 0) throw new Error('The document shows a run of all rows')
  const chosen = rows.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const settings = {
    pairs: Number(values.pairs),
    seconds: Number(values.seconds),
    connections: Number(values.connections),
    isFull: values.full,
  }
  const started = performance.now()
  const at = new Date().toISOString()
  const load_before = loadavg()[0] ?? 0
  const machine = await openMachine(say)
  const lines: Line[] = []
  try {
    for (const row of chosen) {
      say(`${row.name}: ${row.about}`)
      const rowStarted = performance.now()
      const measured = await row.measure({ ...settings, machine, say })
      lines.push(...measured)
      say(`${describeTable(measured)}\n  ${Math.round((performance.now() - rowStarted) / 1000)} s`)
    }
  } finally {
    await machine.close()
  }
  const report: Report = {
    at,
    commit: await readCommit(),
    machine: machine.about,
    load_before,
    load_after: loadavg()[0] ?? 0,
    took_s: Math.round((performance.now() - started) / 1000),
    pairs: settings.pairs,
    seconds: settings.seconds,
    is_full: settings.isFull,
    lines,
  }
  say(`\n${describeTable(lines)}\n\n${describeMachine(report)}; ${report.took_s} s\n`)
  say(`Written to ${await writeReport(report)}`)
  if (values['write-docs']) say(`Written to ${await writeDocument(report)}`)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findRedis } from '../../scripts/test/tools/redis.ts'
import { describeReport, howToRepeat } from './report.ts'
import { type ChaosReport, runChaos } from './run.ts'

const folder = join(import.meta.dirname, '../../reports/chaos')

// A signal exits, and the watchdog ends the started processes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
process.exitCode = await main()

/** `npm run chaos`: ends with 1 when anything is wrong afterwards. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      events: { type: 'string', default: '2000' },
      kills: { type: 'string', default: '40' },
      minutes: { type: 'string', default: '30' },
      backend: { type: 'string' },
    },
  })
  const wanted = values.backend ? [values.backend] : ['postgres', 'redis']
  const reports: ChaosReport[] = []
  for (const backend of wanted) {
    if (backend !== 'postgres' && backend !== 'redis') throw new Error('--backend is redis or postgres')
    const redis = backend === 'redis' ? await findRedis({ install: true, say }) : null
    if (redis && !redis.found) {
      say(`!! Queues on Redis are left out: ${redis.reason}`)
      continue
    }
    const report = await runChaos({
      seed: Number(values.seed ?? Date.now() % 2 ** 31),
      events: Number(values.events),
      kills: Number(values.kills),
      longest_ms: Number(values.minutes) * 60_000,
      crowd: 40,
      storm: {
        kill_every_ms: [500, 4000],
        databases_every_ms: [20_000, 60_000],
        clock_every_ms: [20_000, 40_000],
      },
      isInHurry: false,
      redisProgram: redis?.value,
      logFile: join(folder, `${backend}.log`),
      say,
    })
    say(`\n${describeReport(report)}\n\nAgain: ${howToRepeat(report)}`)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, `${backend}.json`), `${JSON.stringify(report, null, 2)}\n`)
    reports.push(report)
  }
  return reports.length > 0 && reports.every(({ problems }) => problems.length === 0) ? 0 : 1
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

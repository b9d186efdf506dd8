import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repositoryRoot } from './launch/script.ts'
import { chooseTests, type TestPart } from './test/part.ts'
import { startServices } from './test/services.ts'
import { type PartResult, renderSummary, type Tried } from './test/summary.ts'

process.chdir(repositoryRoot)
process.exitCode = await test(process.argv.slice(2))

/**
 * `npm test` and `npm run test:long`: every part in order, even after a failure, and a summary whose last
 * line is for machines.
 */
async function test(words: readonly string[]): Promise<number> {
  const { parts, isLong, seed, rest } = chooseTests(words)
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-tried-'))
  const triedFile = join(folder, 'tried.jsonl')
  process.env.TEST_TRIED_FILE = triedFile
  if (isLong) process.env.TEST_LONG = '1'
  if (seed) process.env.SIMULATION_SEED = seed
  const services = startServices({ needs: new Set(parts.flatMap((part) => part.needs)), say })
  const stop = async () => {
    await services.stop()
    process.exit(130)
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  const results: PartResult[] = []
  try {
    for (const part of parts) results.push(await runPart({ part, services, rest }))
    results.push(...(await services.results()))
    const summary = renderSummary(results, await readTried(triedFile))
    say(`\n${summary.text}`)
    return summary.failed > 0 ? 1 : 0
  } finally {
    await services.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The sums of the lines of tests/support/tried.ts. */
async function readTried(file: string): Promise<Tried> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean)
  const sums: Record<string, number> = {}
  for (const line of lines)
    for (const [name, number] of Object.entries(JSON.parse(line) as Tried))
      sums[name] = (sums[name] ?? 0) + number
  return sums
}

async function runPart(options: {
  part: TestPart
  services: ReturnType<typeof startServices>
  rest: readonly string[]
}): Promise<PartResult> {
  const { part, rest } = options
  const started = Date.now()
  say(`── ${part.title}`)
  try {
    const counts = await part.run({ env: await options.services.environment(part.needs), rest })
    return { name: part.title, counts, seconds: (Date.now() - started) / 1000 }
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    say(message)
    const failures = [{ name: part.title, message }]
    const counts = { passed: 0, failed: 1, skipped: 0, skips: [], failures }
    return { name: part.title, counts, seconds: (Date.now() - started) / 1000 }
  }
}

function say(message: string): void {
  process.stdout.write(`${message}\n`)
}

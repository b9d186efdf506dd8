import { repositoryRoot } from './launch/script.ts'
import { chooseParts, type TestPart } from './test/part.ts'
import { startServices } from './test/services.ts'
import { type PartResult, renderSummary } from './test/summary.ts'

process.chdir(repositoryRoot)
process.exitCode = await test(process.argv.slice(2))

/** `npm test`: every part in order, even after a failure, and a summary whose last line is for machines. */
async function test(words: readonly string[]): Promise<number> {
  const { parts, rest } = chooseParts(words)
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
  } finally {
    await services.stop()
  }
  const summary = renderSummary(results)
  process.stdout.write(`\n${summary.text}\n`)
  return summary.failed > 0 ? 1 : 0
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

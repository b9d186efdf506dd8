import { type PartInput, runCommand } from './command.ts'
import type { TestCounts } from './summary.ts'

export interface StaticCheck {
  readonly name: string
  readonly args: readonly string[]
}

const bin = 'node_modules/.bin'
/** The longest first; two run at a time. */
export const staticChecks: readonly StaticCheck[] = [
  {
    name: 'types: schema, server, worker, sandbox, scripts, tests',
    args: [`${bin}/tsc`, '-p', 'tsconfig.json'],
  },
  {
    name: 'format, lint and import walls',
    args: [`${bin}/biome`, 'ci', '--error-on-warnings', '--colors=off', '.'],
  },
  { name: 'types: web', args: [`${bin}/tsc`, '-p', 'web/tsconfig.json'] },
  { name: 'unused files, exports and dependencies', args: [`${bin}/knip`, '--no-progress'] },
]

/** Checks of the sources that do not run them; each counts as one test. */
export async function runStaticChecks(
  { env }: Pick<PartInput, 'env'>,
  checks = staticChecks,
): Promise<TestCounts> {
  const failures: TestCounts['failures'][number][] = []
  const waiting = checks.values()
  const runNext = async () => {
    for (const check of waiting) {
      const started = Date.now()
      const { ok, output } = await runCommand({ args: check.args, env, output: 'kept' })
      const seconds = ((Date.now() - started) / 1000).toFixed(1)
      process.stdout.write(` ${ok ? '✓' : '✗'} ${check.name} (${seconds} s)\n`)
      if (output.trim()) process.stdout.write(`${output.trim()}\n`)
      if (!ok) failures.push({ name: check.name, message: output })
    }
  }
  await Promise.all([runNext(), runNext()])
  const failed = failures.length
  return { passed: checks.length - failed, failed, skipped: 0, skips: [], failures }
}

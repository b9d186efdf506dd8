import { type PartInput, runCommand } from './command.ts'
import type { TestCounts } from './summary.ts'

const bin = 'node_modules/.bin'
const checks: readonly { readonly name: string; readonly args: readonly string[] }[] = [
  {
    name: 'types: schema, server, worker, sandbox, scripts, tests',
    args: [`${bin}/tsc`, '-p', 'tsconfig.json'],
  },
  { name: 'types: web', args: [`${bin}/tsc`, '-p', 'web/tsconfig.json'] },
  {
    name: 'format, lint and import walls',
    args: [`${bin}/biome`, 'ci', '--error-on-warnings', '--colors=off', '.'],
  },
  { name: 'unused files, exports and dependencies', args: [`${bin}/knip`, '--no-progress'] },
]

/** Checks of the sources that do not run them; each counts as one test. */
export async function runStaticChecks({ env }: PartInput): Promise<TestCounts> {
  const failures: TestCounts['failures'][number][] = []
  for (const check of checks) {
    const started = Date.now()
    const { ok, output } = await runCommand({ args: check.args, env, output: 'kept' })
    const seconds = ((Date.now() - started) / 1000).toFixed(1)
    process.stdout.write(` ${ok ? '✓' : '✗'} ${check.name} (${seconds} s)\n`)
    if (!ok) {
      failures.push({ name: check.name, message: output })
      process.stdout.write(`${output.trim()}\n`)
    }
  }
  const failed = failures.length
  return { passed: checks.length - failed, failed, skipped: 0, skips: [], failures }
}

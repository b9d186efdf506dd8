import { writeFile } from 'node:fs/promises'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'
import type { TestCounts } from './summary.ts'

/** Counts for the summary of `npm test`; a test that was skipped without a reason is listed there too. */
export class SummaryReporter implements Reporter {
  readonly #file: string
  constructor(file: string) {
    this.#file = file
  }

  async onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): Promise<void> {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const results = tests.map((test) => ({ test, result: test.result() }))
    const skips = results.flatMap(({ test, result }) =>
      result.state === 'skipped'
        ? [{ name: `${test.module.relativeModuleId} > ${test.fullName}`, reason: result.note }]
        : [],
    )
    const brokenModules = modules.filter(isBroken).length
    const failed = results.filter(({ result }) => result.state === 'failed').length
    const pending = results.filter(({ result }) => result.state === 'pending').length
    const counts: TestCounts = {
      passed: results.filter(({ result }) => result.state === 'passed').length,
      failed: failed + pending + brokenModules + errors.length,
      skipped: skips.length,
      skips,
    }
    await writeFile(this.#file, JSON.stringify(counts))
  }
}

/** One that failed outside its tests: it did not load, or a hook threw. */
function isBroken(module: TestModule): boolean {
  const failedTests = [...module.children.allTests('failed')]
  return module.state() === 'failed' && failedTests.length === 0
}

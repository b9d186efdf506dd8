import { writeFile } from 'node:fs/promises'
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node'
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
      result.state === 'skipped' ? [{ name: nameOf(test), reason: result.note }] : [],
    )
    const failures = [
      ...results
        .filter(({ result }) => result.state === 'failed' || result.state === 'pending')
        .map(({ test, result }) => ({ name: nameOf(test), message: messageOf(result.errors) })),
      ...modules
        .filter(isBroken)
        .map((module) => ({ name: module.relativeModuleId, message: messageOf(module.errors()) })),
      ...errors.map((error) => ({ name: 'outside of a test', message: messageOf([error]) })),
    ]
    const counts: TestCounts = {
      passed: results.filter(({ result }) => result.state === 'passed').length,
      failed: failures.length,
      skipped: skips.length,
      skips,
      failures,
      retried: results
        .filter(({ test }) => test.diagnostic()?.flaky)
        .map(({ test, result }) => ({ name: nameOf(test), message: messageOf(result.errors) })),
    }
    await writeFile(this.#file, JSON.stringify(counts))
  }
}

function nameOf(test: TestCase): string {
  return `${test.module.relativeModuleId} > ${test.fullName}`
}

function messageOf(errors: readonly SerializedError[] | undefined): string | undefined {
  const [error] = errors ?? []
  return error && [error.message, error.diff ?? error.stack].filter(Boolean).join('\n')
}

/** One that failed outside its tests: it did not load, or a hook threw. */
function isBroken(module: TestModule): boolean {
  const failedTests = [...module.children.allTests('failed')]
  return module.state() === 'failed' && failedTests.length === 0
}

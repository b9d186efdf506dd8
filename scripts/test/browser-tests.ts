import { type PartInput, runCounted } from './command.ts'
import type { TestCounts } from './summary.ts'

type Suite = { readonly title: string; readonly specs?: readonly Spec[]; readonly suites?: readonly Suite[] }
type Spec = { readonly title: string; readonly file: string; readonly tests: readonly Test[] }
type Test = {
  readonly status: 'expected' | 'unexpected' | 'flaky' | 'skipped'
  readonly annotations: readonly { readonly type: string; readonly description?: string }[]
  readonly results: readonly Result[]
}
type Result = {
  /** Of a test that its limit ended: the limit first, then what it waited for. */
  readonly errors: readonly { readonly message?: string }[]
}
type Report = { readonly suites: readonly Suite[]; readonly errors: readonly { readonly message?: string }[] }

export async function runBrowserTests({ env, rest }: PartInput): Promise<TestCounts> {
  if (!env.TEST_CHROMIUM_PATH) {
    const reason = env.TEST_CHROMIUM_REASON
    return {
      passed: 0,
      failed: 0,
      skipped: 1,
      skips: [{ name: 'all browser tests', reason }],
      failures: [],
      retried: [],
    }
  }
  return runCounted({ args: ['node_modules/@playwright/test/cli.js', 'test', ...rest], env }, countReport)
}

function countReport(report: Report): TestCounts {
  const specs = report.suites.flatMap(specsOf)
  const tests = specs.flatMap((spec) => spec.tests.map((test) => ({ spec, test })))
  const skips = tests
    .filter(({ test }) => test.status === 'skipped')
    .map(({ spec, test }) => ({
      name: `${spec.file} > ${spec.title}`,
      reason: test.annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description,
    }))
  const withStatus = (status: Test['status']) =>
    tests
      .filter(({ test }) => test.status === status)
      .map(({ spec, test }) => ({
        name: `${spec.file} > ${spec.title}`,
        message: test.results.map(messageOf).find(Boolean),
      }))
  const failures = [
    ...withStatus('unexpected'),
    ...report.errors.map(({ message }) => ({ name: 'outside of a test', message })),
  ]
  return {
    passed: tests.filter(({ test }) => test.status === 'expected' || test.status === 'flaky').length,
    failed: failures.length,
    skipped: skips.length,
    skips,
    failures,
    retried: withStatus('flaky'),
  }
}

function messageOf({ errors }: Result): string {
  return errors.map(({ message }) => message ?? '').join('\n')
}

function specsOf(suite: Suite): readonly Spec[] {
  return [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)]
}

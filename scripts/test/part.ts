import { runBrowserTests } from './browser-tests.ts'
import { type PartInput, runCounted } from './command.ts'
import { runStaticChecks } from './static-checks.ts'
import type { TestCounts } from './summary.ts'

export type Service = 'postgres' | 'redis' | 'chromium'

export type TestPart = {
  /** The argument of `npm test --` or `npm run test:long --` that selects it. */
  readonly name: string
  readonly title: string
  readonly needs: readonly Service[]
  readonly run: (input: PartInput) => Promise<TestCounts>
  /** Only `npm run test:long` has it. */
  readonly isLong?: true
}

const inDatabase = ['postgres', 'redis'] as const

function runProjects(...projects: readonly string[]): TestPart['run'] {
  return (input) => runVitest({ ...input, projects })
}

/** A folder of the project `long`. */
function longPart(name: string, title: string): TestPart {
  const run: TestPart['run'] = ({ env, rest }) =>
    runVitest({ env, projects: ['long'], rest: [`tests/${name}/`, ...rest] })
  return { name, title, needs: inDatabase, run, isLong: true }
}

const parts: readonly TestPart[] = [
  { name: 'static', title: 'static checks', needs: [], run: runStaticChecks },
  {
    name: 'unit',
    title: 'unit, database, API and worker tests',
    needs: inDatabase,
    run: runProjects('unit', 'database', 'catalogue'),
  },
  { name: 'simulation', title: 'simulation', needs: inDatabase, run: runProjects('simulation') },
  { name: 'e2e', title: 'browser tests', needs: ['postgres', 'chromium'], run: runBrowserTests },
  longPart('chaos', 'chaos'),
  longPart('growth', 'growth'),
  longPart('operator', 'operator’s documents'),
  longPart('restore', 'restore drill'),
]

export interface TestRun {
  readonly parts: readonly TestPart[]
  /** `npm run test:long`: everything, with breadth, and with a seed of its own. */
  readonly isLong: boolean
  /** For the histories; the usual one when undefined. */
  readonly seed: string | undefined
  /** For vitest and Playwright: a folder, `-t name`. */
  readonly rest: readonly string[]
}

/**
 * `npm test -- unit e2e worker/jobs`: names of parts choose, `--seed 7` is for the runner, and everything
 * else goes to vitest and Playwright. `--long` is what `npm run test:long` adds.
 */
export function chooseTests(words: readonly string[]): TestRun {
  const isLong = words.includes('--long')
  const seedAt = words.indexOf('--seed')
  const others = words.filter(
    (word, index) => !['--long', '--seed'].includes(word) && (seedAt < 0 || index !== seedAt + 1),
  )
  const available = parts.filter((part) => isLong || !part.isLong)
  const names = new Set(available.map(({ name }) => name))
  const chosen = new Set(others.filter((word) => names.has(word)))
  return {
    parts: chosen.size > 0 ? available.filter(({ name }) => chosen.has(name)) : available,
    isLong,
    seed: seedAt < 0 ? undefined : words[seedAt + 1],
    rest: others.filter((word) => !names.has(word)),
  }
}

/** Runs some of the projects of vitest.config.ts and reads what the summary reporter wrote. */
function runVitest(input: PartInput & { readonly projects: readonly string[] }): Promise<TestCounts> {
  const projects = input.projects.flatMap((project) => ['--project', project])
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...input.rest]
  return runCounted({ args, env: input.env }, (counts: TestCounts) => counts)
}

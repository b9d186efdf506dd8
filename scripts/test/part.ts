import { runBrowserTests } from './browser-tests.ts'
import type { PartInput } from './command.ts'
import { runStaticChecks } from './static-checks.ts'
import type { TestCounts } from './summary.ts'
import { runVitest } from './vitest.ts'

export type Service = 'postgres' | 'redis' | 'chromium'

export type TestPart = {
  /** The argument of `npm test --` that selects it. */
  readonly name: string
  readonly title: string
  readonly needs: readonly Service[]
  readonly run: (input: PartInput) => Promise<TestCounts>
}

const parts: readonly TestPart[] = [
  { name: 'static', title: 'static checks', needs: [], run: runStaticChecks },
  {
    name: 'unit',
    title: 'unit, database, API and worker tests',
    needs: ['postgres', 'redis'],
    run: (input) => runVitest({ ...input, projects: ['unit', 'database', 'engines'] }),
  },
  {
    name: 'simulation',
    title: 'simulation',
    needs: ['postgres', 'redis'],
    run: (input) => runVitest({ ...input, projects: ['simulation', 'chaos'] }),
  },
  { name: 'e2e', title: 'browser tests', needs: ['postgres', 'chromium'], run: runBrowserTests },
]

/** `npm test -- unit e2e worker/jobs`: names of parts choose, everything else goes to the runners. */
export function chooseParts(words: readonly string[]): {
  parts: readonly TestPart[]
  rest: readonly string[]
} {
  const names = new Set(parts.map((part) => part.name))
  const chosen = new Set(words.filter((word) => names.has(word)))
  return {
    parts: chosen.size > 0 ? parts.filter((part) => chosen.has(part.name)) : parts,
    rest: words.filter((word) => !names.has(word)),
  }
}

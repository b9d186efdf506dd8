import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { analyse } from 'scslre'
import { parseAst } from 'vite'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../launch/script.ts'

interface Expression {
  readonly where: string
  readonly pattern: string
  readonly flags: string
}

/** The literals of a source. Expressions that are built from texts are few, and built from our own. */
function expressionsIn(path: string, source: string): Expression[] {
  const found: Expression[] = []
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return
    const { regex, start = 0 } = node as { regex?: { pattern: string; flags: string }; start?: number }
    if (regex) found.push({ where: `${path}:${source.slice(0, start).split('\n').length}`, ...regex })
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseAst(source, { lang: path.endsWith('x') ? 'tsx' : 'ts' }))
  return found
}

/**
 * How an expression backtracks, so that its time grows faster than the text: by starting again at each
 * character (`Move`), within one quantifier (`Self`) or between two (`Trade`).
 */
function backtracking({ where, pattern, flags }: Expression): string[] {
  const { reports } = analyse({ source: pattern, flags })
  return reports.map(({ type }) => `${where} /${pattern}/${flags} backtracks (${type})`)
}

test.each(['(?<=.)\\/+$', '^[^@]+@[^@]+\\.[^@]+$', '^(a+)+$'])(
  'an expression like %s is found',
  (pattern) => {
    expect(backtracking({ where: 'here', pattern, flags: '' })).not.toEqual([])
  },
)

test('no regular expression that the product runs takes more than linear time', async () => {
  const expressions: Expression[] = []
  for await (const path of glob('{schema,server,worker,web}/**/*.{ts,tsx}', { cwd: repositoryRoot })) {
    // Builds and tests read only our own text.
    if (/\.test\.tsx?$|^web\/(vite\.config|dist)/.test(path)) continue
    expressions.push(...expressionsIn(path, await readFile(join(repositoryRoot, path), 'utf8')))
  }
  expect(expressions.length).toBeGreaterThan(100)
  expect(expressions.flatMap(backtracking)).toEqual([])
})

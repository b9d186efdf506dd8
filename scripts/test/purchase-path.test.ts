import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../launch/script.ts'

interface Step {
  /** A function, or `Class.method`. */
  readonly name: string
  readonly caller: string
  readonly file: string
}

const readRepositoryFile = (path: string) => readFile(join(repositoryRoot, path), 'utf8')
const documentText = await readRepositoryFile('docs/architecture.md')
const [, section = ''] = documentText.split('## The path of a paid purchase\n')
const steps = [...section.matchAll(/^\| \d+ +\| `(.+?)` +\| `(.+?)` +\| `(.+?)` +\|/gm)].map(
  ([, name = '', caller = '', file = '']): Step => ({ name, caller, file }),
)
const texts = new Map<string, string>()
for (const { file } of steps) texts.set(file, await readRepositoryFile(file))

/** The text of a function, a method or a constant, without comments, by the formatter's indentation. */
function bodyOf(name: string, file: string): string | undefined {
  const text = texts.get(file) ?? ''
  const [owner = '', method] = name.split('.')
  if (file.endsWith('.sql'))
    return new RegExp(`^CREATE (?:OR REPLACE )?FUNCTION ${name}\\(`, 'm').exec(text)?.[0]
  const start = method
    ? `^export class ${owner} .*?^  (?:async )?(${method}[(<].+?^  \\}$)`
    : `^(?:export )?(?:async )?((?:function|const) ${owner}\\b.+?^[\\])}]+$)`
  return new RegExp(start, 'ms').exec(text)?.[1]?.replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, '')
}

/** What the table says that the code does not. */
function findProblems(table: readonly Step[]): string[] {
  const callersFile = ({ caller, file }: Step, index: number) =>
    table.slice(0, index).find(({ name }) => name === caller)?.file ?? file
  return table.flatMap((step, index) => {
    const { name, caller, file } = step
    if (bodyOf(name, file) === undefined) return `${file} has no ${name}`
    const from = callersFile(step, index)
    const body = bodyOf(caller, from)
    if (body === undefined) return `${name} is called by ${caller}, which is neither above it nor in its file`
    const method = name.split('.')[1]
    const mention = method ? `(?:\\w|\\))\\.${method}\\(` : `(?<![.\\w])${name}\\b`
    const isCalled = new RegExp(mention).test(body.slice(body.indexOf('\n')))
    if (!isCalled) return `${caller} does not call ${name}`
    if (method || from === file || file.endsWith('.sql')) return []
    const path = relative(dirname(from), file)
    const specifier = path.startsWith('.') ? path : `./${path}`
    const imports = new RegExp(`^import [^']*\\b${name}\\b[^']*'(.+?)'$`, 'm').exec(texts.get(from) ?? '')
    return imports?.[1] === specifier ? [] : `${from} does not import ${name} from ${specifier}`
  })
}

test('at most twenty functions lead from the webhook to the ledger, and each is listed once', () => {
  expect(steps.length).toBeGreaterThan(10)
  expect(steps.length).toBeLessThanOrEqual(20)
  expect(new Set(steps.map(({ name }) => name)).size).toBe(steps.length)
  expect(steps[0]?.name).toBe('stripeWebhook')
  expect(steps.at(-1)?.name).toBe('ledger_post')
})

test('every function on the path is called by name in the body of its caller', () => {
  expect(findProblems(steps)).toEqual([])
})

test('only the route and the queue call a function of the path from outside of it', () => {
  const names = new Set(steps.map(({ name }) => name))
  const outside = steps.filter(({ caller }) => !names.has(caller)).map(({ caller }) => caller)
  expect(outside).toEqual(['webhooksRoutes', 'startConsumer'])
})

test.each([
  [{ caller: 'applyEvents' }, 'applyEvents does not call decideCheckout'],
  [
    { caller: 'ledger_post' },
    'decideCheckout is called by ledger_post, which is neither above it nor in its file',
  ],
  [{ name: 'decideTogether' }, 'worker/events/decide-checkout.ts has no decideTogether'],
])('a row that is wrong is found: %o', (change, problem) => {
  const wrong = steps.map((step) => (step.name === 'decideCheckout' ? { ...step, ...change } : step))
  expect(findProblems(wrong)).toContain(problem)
})

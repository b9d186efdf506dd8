import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { buildEditor } from '../../tests/support/factories/editors.ts'
import { buildOperatorKey } from '../../tests/support/factories/operator-keys.ts'
import { buildGrant, postTransfer } from '../../tests/support/factories/transfers.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const run = promisify(execFile)
const readPage = (name: string) => readFile(join(import.meta.dirname, '../../docs', name), 'utf8')

const { database, clerk, server, startServer } = testProduct({ clerk: 'sandbox' })
/** The product behind docs/gateway.md, with a key and a person of 500 credits. */
async function metered(): Promise<Record<string, string>> {
  const { url } = await startServer({ settings: { metered_by: 'gateway' } })
  const { token } = await buildEditor(database, { purchased: 500 })
  return { APP: url, OPERATOR_KEY: (await buildOperatorKey(database)).key, TOKEN: token }
}
const unmetered = async () => ({ APP: server.url, CLERK: clerk.url })
beforeAll(async () => {
  const demo = await clerk.knob<{ user_id: string }>('tokens', { email: 'demo@tidemark.test' })
  await postTransfer(database.worker, buildGrant(demo.user_id, 500))
})

/** The request of an example and, where the page shows it, the response. */
interface Step {
  readonly commands: string
  readonly answer: Answer | null
}

interface Answer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: unknown
}

test.for([
  ['extension.md', 22, unmetered],
  ['gateway.md', 5, metered],
] as const)(
  'every command of docs/%s gives the answer that the page shows',
  async ([name, answers, environment], { skip }) => {
    for (const program of ['bash', 'curl', 'openssl version']) {
      if (!(await runs(program))) skip(`no ${program.split(' ')[0]} on this machine`)
    }
    const steps = stepsOf(await readPage(name))
    expect(steps.filter(({ answer }) => answer)).toHaveLength(answers)
    const outputs = await runAll(steps, await environment())
    for (const [index, { commands, answer }] of steps.entries()) {
      if (answer) expectSame(parseAnswer(outputs[index] ?? ''), answer, commands)
    }
  },
)

async function runs(program: string): Promise<boolean> {
  const [name = '', argument = '--version'] = program.split(' ')
  return run(name, [argument]).then(
    () => true,
    () => false,
  )
}

/** Each block of shell, with the HTTP answer if one follows before the next block. */
function stepsOf(markdown: string): Step[] {
  const blocks = [...markdown.matchAll(/^```(sh|http)\n(.*?)^```$/gms)]
  return blocks.flatMap(([, kind, text = ''], index) => {
    if (kind !== 'sh') return []
    const next = blocks[index + 1]
    return [{ commands: text, answer: next?.[1] === 'http' ? parseAnswer(next[2] ?? '') : null }]
  })
}

/** One shell for all, as a reader has one terminal. Returns what each step printed. */
async function runAll(steps: readonly Step[], variables: Record<string, string>): Promise<string[]> {
  const mark = '@@ next step @@'
  const script = steps.map(({ commands }) => commands).join(`\necho; echo '${mark}'\n`)
  const env = { PATH: process.env.PATH, ...variables }
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { env })
  return stdout.split(mark)
}

function parseAnswer(text: string): Answer {
  const [head = '', ...rest] = text.trim().replaceAll('\r', '').split('\n\n')
  const [statusLine = '', ...lines] = head.split('\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  const body = rest.join('\n\n')
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: new Map(headers),
    body: body === '' ? null : JSON.parse(body),
  }
}

function expectSame(actual: Answer, shown: Answer, commands: string): void {
  expect(actual.status, commands).toBe(shown.status)
  for (const [name, value] of shown.headers) {
    expect(actual.headers.get(name), `${name} of ${commands}`).toEqual(likeShown(value))
  }
  // toEqual, so that the page shows every field that comes.
  expect(actual.body, commands).toEqual(likeShown(shown.body))
}

/** An example's response as a pattern: an ellipsis matches anything, and times match other times. */
function likeShown(shown: unknown): unknown {
  if (Array.isArray(shown)) return shown.map(likeShown)
  if (shown !== null && typeof shown === 'object') {
    return Object.fromEntries(
      Object.entries(shown).map(([key, value]) => [
        key,
        key === 'expires_in' && value > 600 ? expect.any(Number) : likeShown(value),
      ]),
    )
  }
  if (typeof shown !== 'string') return shown
  if (/^\d{4}-\d\d-\d\dT/.test(shown)) return expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  if (!shown.includes('…')) return shown
  const parts = shown.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return expect.stringMatching(new RegExp(`^${parts.join('.+')}$`))
}

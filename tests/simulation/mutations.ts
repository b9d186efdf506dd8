import { spawn } from 'node:child_process'
import { appendFile, cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutation, mutations } from './mutation-list.ts'
import { plant } from './plant.ts'

/**
 * Plants faults and reports what the simulation takes to find each: `node tests/simulation/mutations.ts
 * [--seed 1] [--runs 50] [--random] [name …]`. Each is sought by random histories, and by the one that was
 * written by hand for it. Every fault gets a copy of the tree of its own. Not part of `npm test`: it takes
 * minutes a fault.
 *
 * With `--default` each is sought as `npm test` would find it: by its history, then by all of the short
 * simulation, then by the tests beside the file that it is in. `--results <file>` keeps a line of JSON for
 * each fault, and leaves out those that have one; `--jobs 2` tries two at a time.
 */
const root = join(import.meta.dirname, '../..')
const leftOut = ['node_modules', '.git', '.data', 'web/dist', 'test-results']
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '50' },
    patience: { type: 'string', default: '10000' },
    backend: { type: 'string', default: 'Postgres' },
    /** Leaves out the histories that are written by hand, or the random ones. */
    random: { type: 'boolean', default: false },
    'by-hand': { type: 'boolean', default: false },
    default: { type: 'boolean', default: false },
    results: { type: 'string' },
    jobs: { type: 'string', default: '1' },
  },
})

/** As the tests of once-wrong.test.ts are called. */
const byHandTitle = 'a history that was once wrong ends right: '

const unknown = positionals.filter((name) => mutations.every((mutation) => mutation.name !== name))
if (unknown.length > 0) throw new Error(`No such mutation: ${unknown.join(', ')}`)
const known = await readResults()
const chosen = mutations.filter(
  ({ name, history }) =>
    (positionals.length === 0 || positionals.includes(name)) &&
    (history || !values['by-hand']) &&
    !known.has(name),
)
let missed = 0
const left = [...chosen]
await Promise.all(
  Array.from({ length: Number(values.jobs) }, async () => {
    for (let mutation = left.shift(); mutation; mutation = left.shift()) {
      const found = await find(mutation).catch((error: unknown) => new Error('Not tried', { cause: error }))
      if (!found || found instanceof Error) missed++
      if (found instanceof Error) {
        console.log(`| ${mutation.name} | ${found.message}: ${found.cause} |`)
        continue
      }
      console.log(`| ${mutation.name} | ${found ?? 'NOT FOUND'} |`)
      if (values.results)
        await appendFile(values.results, `${JSON.stringify({ name: mutation.name, found })}\n`)
    }
  }),
)
process.exitCode = missed > 0 ? 1 : 0

/** The faults that were tried before. */
async function readResults(): Promise<Set<string>> {
  const text = values.results ? await readFile(values.results, 'utf8').catch(() => '') : ''
  const lines = text.split('\n').filter(Boolean)
  return new Set(lines.map((line) => (JSON.parse(line) as { name: string }).name))
}

/** How the fault showed; null when it did not. */
async function find(mutation: Mutation): Promise<string | null> {
  const copy = await mkdtemp(join(tmpdir(), 'tidemark-mutation-'))
  try {
    await copyTree(copy)
    const paths = await plant(copy, mutation)
    if (!values.default) return verdict(await simulate(copy, mutation))
    for (const words of stagesOf(mutation, paths)) {
      const found = verdict(await runVitest(copy, { words, env: {} }))
      if (found) return found
    }
    return null
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** What `npm test` has, the likely and cheap first. That each fault can be planted is no longer true there. */
function stagesOf({ history }: Mutation, paths: readonly string[]): string[][] {
  const simulation = ['--project', 'simulation', '--bail', '1']
  const folders = paths.flatMap((path) =>
    path.endsWith('.sql') ? ['schema/ledger', 'schema/billing/position', 'worker/events'] : [dirname(path)],
  )
  return [
    ...(history ? [[...simulation, testFile('once-wrong'), '-t', `${byHandTitle}${history}$`]] : []),
    [...simulation, ...['once-wrong', 'random-histories', 'worker-kill', 'server-kill'].map(testFile)],
    ['--project', 'unit', '--project', 'database', '--bail', '1', ...folders],
  ]
}

function testFile(name: string): string {
  return `tests/simulation/${name}.test.ts`
}

async function copyTree(to: string): Promise<void> {
  await cp(root, to, {
    recursive: true,
    filter: (source) => !leftOut.includes(relative(root, source)),
  })
  await symlink(join(root, 'node_modules'), join(to, 'node_modules'))
}

function simulate(tree: string, { history }: Mutation): Promise<string> {
  const titles = [
    ...(values['by-hand'] ? [] : ['whatever an owner lives through']),
    ...(history && !values.random ? [`${byHandTitle}${history}$`] : []),
  ]
  return runVitest(tree, {
    words: [
      '--project',
      'simulation',
      testFile('random-histories'),
      testFile('once-wrong'),
      '-t',
      `on ${values.backend}.*(${titles.join('|')})`,
    ],
    // The queues on Redis are only there in the long run.
    env: { TEST_LONG: '1', SIMULATION_SEED: values.seed, SIMULATION_RUNS: values.runs },
  })
}

async function runVitest(
  tree: string,
  { words, env }: { words: readonly string[]; env: NodeJS.ProcessEnv },
): Promise<string> {
  const vitest = join(tree, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', ...words], {
    cwd: tree,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env, NO_COLOR: '1', SIMULATION_PATIENCE_MS: values.patience },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text
    })
  await new Promise((resolve) => child.on('close', resolve))
  if (!/Tests {2}.*(passed|failed)|No test files found/.test(output))
    throw new Error(`The tests did not run:\n${output}`)
  return output
}

function verdict(output: string): string | null {
  const random = /Property failed after (\d+) tests/.exec(output)?.[1]
  // A hook fails without a title, as when the books are wrong at the end.
  const failed = [...output.matchAll(/^ +(?:×|FAIL) (.+?)(?: \d+ms)?$/gm)].map(([, title = '']) =>
    title.trim(),
  )
  if (failed.length === 0) return null
  const byHand = failed.filter((title) => title.startsWith(byHandTitle))
  const found = [
    ...(random ? [`after ${random} histories`] : []),
    ...byHand.map((title) => `by hand: ${title.replace(byHandTitle, '')}`),
  ]
  const [why] =
    /^.*(?:: expected .*|differ.*|not posted: .*|[Ww]aits: .*|AssertionError.*)$/m.exec(output) ?? []
  if (!why && /Waited in vain|timed out/.test(output)) throw new Error('the machine was too busy')
  return `${(found.length > 0 ? found : [...new Set(failed)]).join('; ')} (${why?.trim().slice(0, 150)})`
}

import { spawn } from 'node:child_process'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutation, mutations } from './mutation-list.ts'
import { plant } from './plant.ts'

/**
 * Plants faults and reports what the simulation takes to find each: `node tests/simulation/mutations.ts
 * [--seed 1] [--runs 50] [--random] [name …]`. Each is sought by random histories, and by the one that was
 * written by hand for it. Every fault gets a copy of the tree of its own. Not part of `npm test`: it takes
 * minutes a fault.
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
  },
})

/** As the tests of once-wrong.test.ts are called. */
const byHandTitle = 'a history that was once wrong ends right: '

const unknown = positionals.filter((name) => mutations.every((mutation) => mutation.name !== name))
if (unknown.length > 0) throw new Error(`No such mutation: ${unknown.join(', ')}`)
const chosen = mutations.filter(
  ({ name, history }) =>
    (positionals.length === 0 || positionals.includes(name)) && (history || !values['by-hand']),
)
let missed = 0
for (const mutation of chosen) {
  const found = await find(mutation)
  if (!found) missed++
  console.log(`| ${mutation.name} | ${found ?? 'NOT FOUND'} |`)
}
process.exitCode = missed > 0 ? 1 : 0

/** How the fault showed; null when it did not. */
async function find(mutation: Mutation): Promise<string | null> {
  const copy = await mkdtemp(join(tmpdir(), 'tidemark-mutation-'))
  try {
    await copyTree(copy)
    await plant(copy, mutation)
    return verdict(await simulate(copy, mutation))
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

async function copyTree(to: string): Promise<void> {
  await cp(root, to, {
    recursive: true,
    filter: (source) => !leftOut.includes(relative(root, source)),
  })
  await symlink(join(root, 'node_modules'), join(to, 'node_modules'))
}

async function simulate(tree: string, { history }: Mutation): Promise<string> {
  const vitest = join(tree, 'node_modules/vitest/vitest.mjs')
  const titles = [
    ...(values['by-hand'] ? [] : ['whatever an owner lives through']),
    ...(history && !values.random ? [`${byHandTitle}${history}$`] : []),
  ]
  const child = spawn(
    process.execPath,
    [
      vitest,
      'run',
      '--project',
      'simulation',
      'tests/simulation/random-histories.test.ts',
      'tests/simulation/once-wrong.test.ts',
      '-t',
      `on ${values.backend}.*(${titles.join('|')})`,
    ],
    {
      cwd: tree,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        NO_COLOR: '1',
        SIMULATION_SEED: values.seed,
        SIMULATION_RUNS: values.runs,
        SIMULATION_PATIENCE_MS: values.patience,
      },
    },
  )
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  child.stderr.on('data', (text) => {
    output += text
  })
  await new Promise((resolve) => child.on('close', resolve))
  if (!/Tests {2}.*(passed|failed)/.test(output)) throw new Error(`The simulation did not run:\n${output}`)
  return output
}

function verdict(output: string): string | null {
  const random = /Property failed after (\d+) tests/.exec(output)?.[1]
  const failed = [...output.matchAll(/^ +× (.+?)(?: \d+ms)?$/gm)].map(([, title = '']) => title)
  if (failed.length === 0) return null
  const byHand = failed.filter((title) => title.startsWith(byHandTitle))
  const found = [
    ...(random ? [`after ${random} histories`] : []),
    ...byHand.map((title) => `by hand: ${title.replace(byHandTitle, '')}`),
  ]
  return found.length > 0 ? found.join('; ') : failed.join('; ')
}

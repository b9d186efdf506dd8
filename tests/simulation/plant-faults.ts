import { spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

/**
 * Says which small faults a command does not notice: `node tests/simulation/plant-faults.ts <file> -- <command>`,
 * for example `… schema/billing/position/difference.ts -- npx vitest run --project database schema/billing`. Each
 * fault is planted alone, in a copy of the tree. Not part of a test run: it takes the command's time a fault.
 */
const root = join(import.meta.dirname, '../..')
const [file, separator, program, ...args] = process.argv.slice(2)
if (!file || separator !== '--' || !program) {
  throw new Error('Usage: node tests/simulation/plant-faults.ts <file> -- <command>')
}

/** What is looked for, and what it becomes. Spaces around it tell an operator from a generic type. */
const operators: readonly (readonly [RegExp, string])[] = [
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/Math\.max\(/g, 'Math.min('],
  [/Math\.min\(/g, 'Math.max('],
  [/\bgreatest\(/g, 'least('],
  [/\bleast\(/g, 'greatest('],
  [/\bAND\b/g, 'OR'],
  [/\bif \(/g, 'if (!'],
]

const leftOut = ['node_modules', '.git', '.data', 'web/dist', 'test-results']
const tree = await mkdtemp(join(tmpdir(), 'tidemark-faults-'))
try {
  await cp(root, tree, {
    recursive: true,
    filter: (path) => !leftOut.includes(relative(root, path)),
  })
  await symlink(join(root, 'node_modules'), join(tree, 'node_modules'))
  const text = await readFile(join(tree, file), 'utf8')
  if (!(await passes())) throw new Error('The command fails without a fault')
  const faults = operators.flatMap(([pattern, becomes]) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ found, index, becomes })),
  )
  let missed = 0
  for (const { found, index, becomes } of faults.toSorted((a, b) => a.index - b.index)) {
    const before = text.slice(0, index)
    const line = before.split('\n').length
    const words = text.split('\n')[line - 1]?.trim() ?? ''
    if (/^(\/\/|\/?\*|--|import )/.test(words)) continue
    await writeFile(join(tree, file), before + becomes + text.slice(index + found.length))
    if (!(await passes())) continue
    missed++
    console.log(`${file}:${line}: "${found.trim()}" as "${becomes.trim()}" is not noticed: ${words}`)
  }
  console.log(`${faults.length} faults, ${missed} not noticed`)
} finally {
  await rm(tree, { recursive: true, force: true })
}

async function passes(): Promise<boolean> {
  const child = spawn(program ?? '', args, { cwd: tree, stdio: 'ignore' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code === 0))
  })
}

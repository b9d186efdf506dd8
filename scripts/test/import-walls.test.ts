import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../launch/script.ts'

const run = promisify(execFile)

type Import = readonly [path: string, module: string]

/** One line a wall: a file of the room, and what it may not reach. */
const forbidden: readonly Import[] = [
  ['schema/ledger/sample.ts', '../../server/app.ts'],
  ['schema/ledger/sample.ts', '../../worker/main.ts'],
  ['schema/ledger/sample.ts', 'koa'],
  ['schema/ledger/sample.ts', 'react'],
  ['schema/api/sample.ts', '../ledger/post.ts'],
  ['schema/api/sample.ts', '../../server/app.ts'],
  ['schema/api/sample.ts', 'node:fs'],
  ['schema/catalogue/sample.ts', '../env.ts'],
  ['server/routes/sample.ts', '../../worker/main.ts'],
  ['server/routes/sample.ts', '../../schema/ledger/post.ts'],
  ['server/routes/sample.ts', '../../sandbox/stripe/main.ts'],
  ['server/routes/sample.ts', '../../tests/support/database.ts'],
  ['worker/jobs/sample.ts', '../../server/app.ts'],
  ['worker/jobs/sample.ts', '../../sandbox/stripe/main.ts'],
  ['web/pages/sample.tsx', '../../server/app.ts'],
  ['web/pages/sample.tsx', '../../schema/ledger/balances.ts'],
  ['web/pages/sample.tsx', 'node:fs'],
  ['web/ui/sample.tsx', 'react-router-dom'],
  ['web/ui/sample.tsx', '@tanstack/react-query'],
  ['web/ui/sample.tsx', '../../server/app.ts'],
  ['web/ui/sample.tsx', '../../schema/ledger/balances.ts'],
  ['sandbox/stripe/sample.ts', '../../schema/catalogue/plans.ts'],
  ['sandbox/stripe/sample.ts', '../../server/app.ts'],
  ['scripts/sample.ts', '../sandbox/stripe/main.ts'],
  ['tests/support/sample.ts', '../../sandbox/stripe/main.ts'],
  ['server/routes/sample.test.ts', '../../sandbox/stripe/main.ts'],
]

const allowed: readonly Import[] = [
  ['server/routes/sample.ts', '../../schema/ledger/balances.ts'],
  ['worker/jobs/sample.ts', '../../schema/ledger/post.ts'],
  ['web/pages/sample.tsx', '../../schema/api/checkout.ts'],
  ['tests/support/sample.ts', '../../schema/ledger/post.ts'],
]

test('the walls between the rooms stand', async () => {
  expect(await findStopped(forbidden)).toEqual(forbidden.map(describeImport))
})

test('the doors between them are open', async () => {
  expect(await findStopped(allowed)).toEqual([])
})

/** Lints a copy of the house in which every room holds one sample an import, and says which the walls stop. */
async function findStopped(imports: readonly Import[]): Promise<string[]> {
  const house = await mkdtemp(join(tmpdir(), 'tidemark-walls-'))
  try {
    await copyFile(join(repositoryRoot, 'biome.json'), join(house, 'biome.json'))
    const paths = imports.map(([path], index) => path.replace('sample', `sample${index}`))
    for (const [index, path] of paths.entries()) {
      await mkdir(dirname(join(house, path)), { recursive: true })
      await writeFile(join(house, path), `import { thing } from '${imports[index]?.[1]}'\nthing()\n`)
    }
    const output = await lint(house)
    const stopped = imports.filter((_, index) => output.includes(`${paths[index]}:1:`))
    return stopped.map(describeImport)
  } finally {
    await rm(house, { recursive: true, force: true })
  }
}

/** Only the rule that is the wall, so that nothing else can stop a sample. */
async function lint(house: string): Promise<string> {
  const biome = join(repositoryRoot, 'node_modules/@biomejs/biome/bin/biome')
  const rule = '--only=style/noRestrictedImports'
  const args = [biome, 'lint', '--vcs-enabled=false', '--max-diagnostics=none', '--colors=off', rule, house]
  const failed = await run(process.execPath, args, { cwd: house }).catch((error) => error)
  return `${failed.stdout}${failed.stderr}`.replaceAll(`${house}/`, '')
}

function describeImport([path, module]: Import): string {
  return `${path} imports ${module}`
}

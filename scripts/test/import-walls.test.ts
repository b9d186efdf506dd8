import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { repositoryRoot } from '../launch/script.ts'

const run = promisify(execFile)

/**
 * The places that each place may import from, beside itself. A name covers everything below it, and the
 * longest matching name counts. Everything else is forbidden: a new room or part has to be added.
 */
const doors: Readonly<Record<string, readonly string[]>> = {
  schema: ['schema'],
  'schema/api': ['schema/catalogue'],
  'schema/catalogue': [],
  server: ['schema'],
  worker: ['schema'],
  web: ['schema/api', 'schema/catalogue'],
  'web/ui': [],
  sandbox: ['sandbox/kit'],
  // Some of the worker's work is done from a terminal, too.
  scripts: ['schema', 'worker'],
  // One command does what server and worker do, by their functions.
  'scripts/support': ['schema', 'server', 'worker', 'scripts', 'tests'],
  tests: ['schema', 'server', 'worker', 'scripts'],
}
/** The same for tests beside their subjects. */
const testDoors: typeof doors = {
  ...doors,
  schema: ['schema', 'tests'],
  'schema/api': ['schema', 'tests'],
  'schema/catalogue': ['schema', 'tests'],
  server: ['schema', 'worker', 'scripts', 'tests'],
  worker: ['schema', 'server', 'scripts', 'tests'],
  scripts: ['schema', 'server', 'worker', 'tests'],
}
/** The folders of the ledger that product code takes; the files beside them are for both. */
const ledgerDoors: typeof doors = { server: ['read', 'spend'], worker: ['read', 'post'] }

/** Places whose files lie side by side. */
const flat = ['schema/api', 'schema/catalogue', 'web/ui']
const kinds = {
  value: (module: string) => `import { thing } from '${module}'`,
  type: (module: string) => `import type { Thing } from '${module}'`,
  'type among values': (module: string) => `import { type Thing } from '${module}'`,
  effect: (module: string) => `import '${module}'`,
  export: (module: string) => `export { thing } from '${module}'`,
  'type export': (module: string) => `export type { Thing } from '${module}'`,
  dynamic: (module: string) => `await import('${module}')`,
} as const

interface Import {
  readonly file: string
  readonly module: string
  readonly kind?: keyof typeof kinds
}

// The linter reads some thousands of samples, which takes a busy machine longer than a test usually may.
test('every place imports what its doors say and nothing else, types and tests included', {
  timeout: 120_000,
}, async () => {
  const places = await listPlaces()
  expect(new Set(places.map(roomOf)), 'rooms').toEqual(new Set(Object.keys(doors).map(roomOf)))
  const imports = places.flatMap((from) =>
    places
      .filter((to) => !isIn(to, from) && !isIn(from, to))
      .flatMap((to) =>
        samplesIn(from).flatMap(({ file, isTest }) =>
          (Object.keys(kinds) as (keyof typeof kinds)[]).map((kind) => ({
            file,
            module: relative(dirname(file), `${to}/sample.ts`),
            kind,
            isOpen: doorsOf(from, isTest ? testDoors : doors).some((door) => isIn(to, door)),
          })),
        ),
      ),
  )
  await expectStopped(imports)
})

test('the server reads and spends from the ledger, and the worker reads and posts', async () => {
  const folders = (await readdir(join(repositoryRoot, 'schema/ledger'), { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  const imports = Object.entries(ledgerDoors).flatMap(([room, open]) => [
    { file: `${room}/folder/sample.ts`, module: '../../schema/ledger/accounts.ts', isOpen: true },
    ...folders.map((folder) => ({
      file: `${room}/folder/sample.ts`,
      module: `../../schema/ledger/${folder}/sample.ts`,
      isOpen: open.includes(folder),
    })),
  ])
  await expectStopped(imports)
})

test('packages stay where they belong, and a detour leads nowhere', async () => {
  await expectStopped([
    { file: 'schema/ledger/sample.ts', module: 'koa', isOpen: false },
    { file: 'schema/ledger/sample.ts', module: 'kysely', isOpen: true },
    { file: 'schema/api/sample.ts', module: 'node:fs', isOpen: false },
    { file: 'schema/api/sample.ts', module: 'kysely', isOpen: false },
    { file: 'schema/api/sample.ts', module: 'zod/mini', isOpen: true },
    { file: 'schema/api/sample.ts', module: 'zod', isOpen: false },
    { file: 'schema/catalogue/sample.ts', module: '../../web/content/brand.ts', isOpen: true },
    { file: 'schema/catalogue/sample.ts', module: '../../web/content/paths.ts', isOpen: false },
    { file: 'scripts/doctor/sample.ts', module: '../../web/content/site/claims.ts', isOpen: true },
    { file: 'scripts/doctor/sample.ts', module: '../../web/content/paths.ts', isOpen: false },
    { file: 'scripts/support/sample.ts', module: '../../web/content/support/case.ts', isOpen: true },
    { file: 'scripts/support/sample.ts', module: '../../web/content/paths.ts', isOpen: false },
    { file: 'worker/reconciliation/sample.ts', module: '../events/try-event.ts', isOpen: false },
    { file: 'worker/reconciliation/sample.ts', module: '../jobs/subscription-sync.ts', isOpen: false },
    { file: 'worker/reconciliation/sample.ts', module: '../books/post-difference.ts', isOpen: false },
    { file: 'worker/reconciliation/sample.ts', module: '../failures.ts', isOpen: true },
    { file: 'worker/reconciliation/sample.ts', module: '../../schema/ledger/spend/usage.ts', isOpen: false },
    { file: 'web/pages/sample.ts', module: 'zod', isOpen: false },
    { file: 'web/pages/sample.ts', module: 'sonner', isOpen: false },
    { file: 'web/ui/sample.ts', module: 'sonner', isOpen: true },
    { file: 'schema/api/sample.ts', module: '../catalogue/../ledger/post/post.ts', isOpen: false },
    { file: 'schema/api/sample.ts', module: './../ledger/post/post.ts', isOpen: false },
    { file: 'web/pages/sample.tsx', module: 'node:fs', isOpen: false },
    { file: 'web/pages/sample.tsx', module: '../../schema/ledger/post/post.ts', isOpen: false },
    { file: 'web/ui/sample.tsx', module: 'react-router-dom', isOpen: false },
    { file: 'web/ui/sample.tsx', module: '@tanstack/react-query', isOpen: false },
    { file: 'web/ui/sample.tsx', module: '../api/client.ts', isOpen: false },
    { file: 'web/ui/sample.tsx', module: './cn.ts', isOpen: true },
    { file: 'sandbox/stripe/routes/sample.ts', module: 'stripe', isOpen: true },
  ])
})

describe('the linter stops', () => {
  test('a cycle of imports, also one of types alone', async () => {
    const report = await lint({
      'server/one.ts': "import type { Two } from './two.ts'\nexport type One = Two | null\n",
      'server/two.ts': "import type { One } from './one.ts'\nexport type Two = { one: One }\n",
    })
    expect(report).toMatch(/title=lint\/suspicious\/noImportCycles,file=server\/one\.ts/)
    expect(report).toMatch(/title=lint\/suspicious\/noImportCycles,file=server\/two\.ts/)
  })

  test('a type that is imported within an expression, where no wall would see it', async () => {
    const report = await lint({ 'web/sample.ts': "export type A = import('../server/app.ts').App\n" })
    expect(report).toMatch(/file=web\/sample\.ts,.*Import the type by a statement/)
  })
})

/** The rooms on disk, and the parts of divided rooms. */
async function listPlaces(): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], { cwd: repositoryRoot })
  const folders = stdout.split('\n').map((file) => file.split('/').slice(0, -1))
  const divided = ['schema', 'sandbox']
  const places = folders.map(([room, part]) =>
    part && divided.includes(room ?? '') ? `${room}/${part}` : room,
  )
  return [...new Set([...places, 'web/ui', 'scripts/support'])].filter((place) => place !== undefined).sort()
}

function roomOf(place: string): string {
  return place.split('/')[0] ?? place
}

function isIn(place: string, other: string): boolean {
  return place === other || place.startsWith(`${other}/`)
}

function doorsOf(place: string, table: typeof doors): readonly string[] {
  const names = Object.keys(table).filter((name) => isIn(place, name))
  return table[names.sort((a, b) => b.length - a.length)[0] ?? ''] ?? []
}

/** Files of a place, beside its own and further down. */
function samplesIn(place: string): { file: string; isTest: boolean }[] {
  return [place, ...(flat.includes(place) ? [] : [`${place}/folder`])].flatMap((folder) => [
    { file: `${folder}/sample.ts`, isTest: false },
    { file: `${folder}/sample.test.ts`, isTest: true },
  ])
}

async function expectStopped(imports: readonly (Import & { readonly isOpen: boolean })[]): Promise<void> {
  const lines = Map.groupBy(imports, ({ file }) => file)
  const report = await lint(
    Object.fromEntries(
      [...lines].map(([file, all]) => [
        file,
        all.map(({ module, kind = 'value' }) => `${kinds[kind](module)}\n`).join(''),
      ]),
    ),
    // The other rules would find a thousand faults more in such files.
    ['style/noRestrictedImports'],
  )
  const stopped = new Set(
    [...report.matchAll(/noRestrictedImports,file=([^,]+),line=(\d+)/g)].map(([, file, line]) =>
      describeImport(lines.get(file ?? '')?.[Number(line) - 1]),
    ),
  )
  const holes = imports.filter((made) => !made.isOpen && !stopped.has(describeImport(made)))
  const closedDoors = imports.filter((made) => made.isOpen && stopped.has(describeImport(made)))
  expect(holes.map(describeImport), 'forbidden, and not stopped').toEqual([])
  expect(closedDoors.map(describeImport), 'allowed, and stopped').toEqual([])
}

function describeImport(made: Import | undefined): string {
  return `${made?.file} imports ${made?.module} (${made?.kind ?? 'value'})`
}

/** Biome's findings, one a line, for these files under our configuration; optionally of some rules only. */
async function lint(files: Readonly<Record<string, string>>, rules: readonly string[] = []): Promise<string> {
  const house = await realpath(await mkdtemp(join(tmpdir(), 'tidemark-walls-')))
  try {
    for (const name of ['biome.json', 'scripts/lint']) {
      await cp(join(repositoryRoot, name), join(house, name), { recursive: true })
    }
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(house, file)), { recursive: true })
      await writeFile(join(house, file), text)
    }
    const biome = join(repositoryRoot, 'node_modules/@biomejs/biome/bin/biome')
    const options = ['--vcs-enabled=false', '--max-diagnostics=none', '--colors=off', '--reporter=github']
    const args = [biome, 'lint', ...options, ...rules.map((rule) => `--only=${rule}`), '.']
    const settings = { cwd: house, maxBuffer: 1 << 28 }
    const ended = await run(process.execPath, args, settings).catch((error) => error)
    return `${ended.stdout}${ended.stderr}`.replaceAll(`${house}/`, '')
  } finally {
    await rm(house, { recursive: true, force: true })
  }
}

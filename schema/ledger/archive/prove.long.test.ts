import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { beforeEach, expect, test, vi } from 'vitest'
import { flipByte, monthsToArchive } from '../../../tests/support/months-to-archive.ts'
import { manifestSchema } from './manifest.ts'
import { proveArchive, proveArchives } from './prove.ts'

vi.setConfig({ testTimeout: 5 * 60_000 })
const { database, folder, archive, filesOf } = monthsToArchive()

beforeEach(async () => {
  await archive(1)
  await archive(2)
})

const problemsOfFiles = async (expected?: string) =>
  (await proveArchives(folder.path, expected ? { expected } : {})).problems

test('an archive is proven from its files alone', async () => {
  const proof = await proveArchives(folder.path)
  expect(proof.problems).toEqual([])
  expect(proof.archives.map(({ transfers, entries }) => ({ transfers, entries }))).toEqual([
    { transfers: 3, entries: 6 },
    { transfers: 7, entries: 14 },
  ])
  const { rows } = await sql<{ digest: string }>`
    SELECT encode(manifest_digest, 'hex') AS digest FROM ledger_archives ORDER BY id DESC LIMIT 1`.execute(
    database.owner,
  )
  expect(rows).toEqual([{ digest: proof.manifest_sha256 }])
  expect(await problemsOfFiles(proof.manifest_sha256 ?? '')).toEqual([])
})

test('an archive of which one byte of any file was changed is found', async () => {
  for (const file of await filesOf('')) {
    const content = await readFile(file)
    await flipByte(file)
    expect(await problemsOfFiles(), file).not.toEqual([])
    await writeFile(file, content)
  }
  expect(await problemsOfFiles()).toEqual([])
})

const forgeries: readonly [string, (lines: string[]) => string[], RegExp][] = [
  ['a row is missing', (lines) => lines.slice(1), /rows|sum to zero|no transfer/],
  ['rows have changed places', (lines) => lines.toReversed(), /where it belongs|does not follow|no transfer/],
  [
    'an actor is another one',
    (lines) => lines.map((line) => line.replace('user_editor', 'user_editors')),
    /another hash/,
  ],
  ['an amount is another one', (lines) => lines.map((line) => line.replace('\t-30\t', '\t-29\t')), /sum/],
  [
    'a row was added',
    (lines) => [...lines, lines.at(-1) ?? ''],
    /cannot be read|where it belongs|does not follow|sum/,
  ],
]
test.each(forgeries)(
  'an archive in which %s is found, though digests and counts were made anew',
  async (_, forge, expected) => {
    let changed = 0
    for (const table of ['ledger_transfers', 'ledger_entries']) {
      for (const file of await filesOf(table)) {
        const before = await readFile(file)
        const after = gzipSync(
          forge(gunzipSync(before).toString().split('\n').slice(0, -1))
            .map((line) => `${line}\n`)
            .join(''),
        )
        if (gunzipSync(after).equals(gunzipSync(before))) continue
        changed++
        await writeFile(file, after)
        await renewManifest(dirname(file))
        expect((await proveArchive(dirname(file))).problems.join('\n')).toMatch(expected)
        await writeFile(file, before)
        await renewManifest(dirname(file))
      }
    }
    expect(changed).toBeGreaterThan(0)
  },
)

test('an archive whose files were swapped with another month’s is found', async () => {
  const [first, second] = await filesOf('ledger_entries')
  if (!first || !second) throw new Error('There are not two months')
  const content = await readFile(first)
  await writeFile(first, await readFile(second))
  await writeFile(second, content)
  expect(await problemsOfFiles()).not.toEqual([])
})

test('an archive whose manifest was forged is found, also when all of it agrees', async () => {
  const noted = (await proveArchives(folder.path)).manifest_sha256 ?? ''
  const [first, second] = await manifests()
  if (!first || !second) throw new Error('There are not two archives')
  const content = await readFile(first, 'utf8')
  for (const field of ['heads_digest', 'heads_digest_before', 'kept_digest', 'previous_manifest_sha256']) {
    await writeFile(first, content.replace(new RegExp(`"${field}": .*,`), `"${field}": "${'0'.repeat(64)}",`))
    expect(await problemsOfFiles(), field).not.toEqual([])
  }
  await writeFile(first, content.replace(/"closed_at": "\d{4}/, '"closed_at": "1999'))
  expect(await problemsOfFiles()).toEqual([expect.stringContaining('It names another manifest before it')])
  await writeFile(first, content)
  await writeFile(
    second,
    (await readFile(second, 'utf8')).replace(/"closed_at": "\d{4}/, '"closed_at": "1999'),
  )
  expect(await problemsOfFiles()).toEqual([])
  expect(await problemsOfFiles(noted)).toEqual([expect.stringContaining('not the one that was expected')])
})

test('an archive that is missing between two others, or without a manifest, is found', async () => {
  await archive(3)
  const [, second] = await manifests()
  await rm(second ?? '')
  expect(await problemsOfFiles()).toContainEqual(expect.stringContaining('no readable manifest'))
  await rm(dirname(second ?? ''), { recursive: true })
  expect(await problemsOfFiles()).toContainEqual(expect.stringContaining('does not begin where'))
})

async function manifests(): Promise<string[]> {
  return (await readdir(folder.path)).sort().map((name) => join(folder.path, name, 'manifest.json'))
}

/** Names the files as they are now, as a forger would. */
async function renewManifest(archiveFolder: string): Promise<void> {
  const path = join(archiveFolder, 'manifest.json')
  const manifest = manifestSchema.parse(JSON.parse(await readFile(path, 'utf8')))
  for (const file of manifest.files) {
    const content = await readFile(join(archiveFolder, file.name))
    file.bytes = content.length
    file.sha256 = createHash('sha256').update(content).digest('hex')
    file.rows = gunzipSync(content).toString().split('\n').length - 1
  }
  await writeFile(path, JSON.stringify(manifest))
}

test('npm run ledger:archive -- --prove says in one sentence that there is no archive', async () => {
  const script = join(import.meta.dirname, '../../../scripts/archive-ledger.ts')
  for (const place of [join(folder.path, 'nowhere'), await mkdtemp(join(tmpdir(), 'tidemark-no-archive-'))]) {
    const { code, output } = await runToEnd(script, ['--prove', place])
    expect([code, output]).toEqual([1, `There is no archive in ${place}\n`])
  }
})

function runToEnd(script: string, args: readonly string[]): Promise<{ code: unknown; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, output: stdout + stderr })
    })
  })
}

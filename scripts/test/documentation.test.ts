import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { clerkEventTypes } from '../../schema/vendors/clerk/event-types.ts'
import { repositoryRoot } from '../launch/script.ts'

async function readDocuments(pattern: string): Promise<Map<string, string>> {
  const documents = new Map<string, string>()
  for await (const path of glob(pattern, { cwd: repositoryRoot }))
    documents.set(path, await readFile(join(repositoryRoot, path), 'utf8'))
  return documents
}

const documents = await readDocuments('{*.md,{docs,sandbox}/**/*.md}')

test('every link between documents leads to a file', () => {
  const broken = [...documents].flatMap(([path, text]) =>
    [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)]
      .filter(([, target = '']) => !existsSync(join(repositoryRoot, dirname(path), target)))
      .map(([, target]) => `${path} links to ${target}`),
  )
  expect(broken).toEqual([])
})

test('every link to a section of a document leads to a heading', () => {
  const headings = new Map(
    [...documents].map(([path, text]) => [
      path,
      [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
      ),
    ]),
  )
  const broken = [...documents].flatMap(([path, text]) =>
    [...text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
      .filter(([, file = '', section = '']) => {
        const target = file === '' ? path : join(dirname(path), file)
        return !headings.get(target)?.includes(section)
      })
      .map(([, file, section]) => `${path} links to ${file}#${section}`),
  )
  expect(broken).toEqual([])
})

test('the index of decisions has every record, under its title', () => {
  const index = documents.get('docs/decisions/README.md') ?? ''
  const listed = [...index.matchAll(/^\| \[(.+?)\]\((.+?)\)/gm)].map(
    ([, title, file]) => `${file} # ${title}`,
  )
  const records = [...documents]
    .filter(([path]) => /^docs\/decisions\/\d/.test(path))
    .map(([path, text]) => `${basename(path)} ${text.split('\n', 1)}`)
  expect(listed.sort()).toEqual(records.sort())
  const rows = index.split('\n').filter((line) => line.startsWith('|'))
  const sections = index.match(/^## /gm)?.length ?? 0
  expect(rows.length, 'two lines of a head in each section, and a row of each record').toBe(
    records.length + 2 * sections,
  )
})

test('every decision that the code or a document refers to exists', async () => {
  const sources = await readDocuments('{schema,server,worker,web,sandbox,scripts,tests}/**/*.{ts,tsx,sql}')
  const numbers = new Set(
    [...documents.keys()].map((path) => /^docs\/decisions\/(\d+)/.exec(path)?.[1] ?? ''),
  )
  const missing = [...documents, ...sources].flatMap(([path, text]) =>
    [...text.matchAll(/\bdecision (\d{3})\b|\(see (\d{3})\)/g)]
      .filter(([, number = '', other = '']) => !numbers.has(number || other))
      .map(([reference]) => `${path}: ${reference}`),
  )
  expect(missing).toEqual([])
})

test('docs/going-live.md names every event of Clerk’s that the product handles', () => {
  const text = documents.get('docs/going-live.md') ?? ''
  expect(clerkEventTypes.filter((type) => !text.includes(`\`${type}\``))).toEqual([])
})

test('every test that docs/security.md names exists', async () => {
  const tests = [
    ...(await readDocuments('{schema,server,worker,web,sandbox,scripts,tests}/**/*.{test,spec}.ts')).keys(),
  ]
  const named = [...(documents.get('docs/security.md') ?? '').matchAll(/`([\w/.-]+\.(?:test|spec)\.ts)`/g)]
  expect(named.length).toBeGreaterThan(20)
  const missing = named.filter(([, path = '']) => !tests.some((file) => `/${file}`.endsWith(`/${path}`)))
  expect(missing.map(([, path]) => path)).toEqual([])
})

import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mutation } from './mutation-list.ts'

export interface Source {
  readonly path: string
  readonly text: string
}

/** Where a fault can be: the product's code, the tables and the SQL functions. */
export async function readProduct(root: string): Promise<Source[]> {
  const sources: Source[] = []
  const files = glob(['{schema,server,worker}/**/*.ts', 'schema/database/{migrations,functions}/*.sql'], {
    cwd: root,
    exclude: ['**/*.test.ts'],
  })
  for await (const path of files) sources.push({ path, text: await readFile(join(root, path), 'utf8') })
  return sources
}

/**
 * The files with the fault in them. A line is found by what it says, wherever it stands and however it is
 * wrapped, so that moving code and formatting it leave the list of mutations as it is. Throws unless it is
 * there exactly once.
 */
export function faultyFiles(sources: readonly Source[], { name, text, becomes }: Mutation): Source[] {
  const pattern = new RegExp(
    [...text.replace(/\s+/g, '')].map((sign) => sign.replace(/\W/, '\\$&')).join('\\s*'),
    'g',
  )
  const found = sources.flatMap((source) => [...source.text.matchAll(pattern)].map(() => source))
  if (found.length !== 1) {
    throw new Error(
      `The fault "${name}" no longer applies: its line is there ${found.length} times` +
        `${found.map(({ path }) => `\n  ${path}`).join('')}\nThe line: ${text}`,
    )
  }
  return found.map(({ path, text }) => ({ path, text: text.replace(pattern, () => becomes) }))
}

/** Returns the paths of the files that have the fault. */
export async function plant(tree: string, mutation: Mutation): Promise<string[]> {
  const files = faultyFiles(await readProduct(tree), mutation)
  for (const { path, text } of files) await writeFile(join(tree, path), text)
  return files.map(({ path }) => path)
}

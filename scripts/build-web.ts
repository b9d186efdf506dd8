import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { tryLock } from './launch/data-lock.ts'
import { repositoryRoot, runScript } from './launch/script.ts'

const output = join(repositoryRoot, 'web/dist')
const stamp = join(output, '.built-from')
/** Everything that ends up in the browser's bundle. */
const sources = [
  'web',
  'schema/api',
  'schema/catalogue',
  'scripts/build.ts',
  'scripts/build',
  'docs/extension.md',
  'package-lock.json',
  'tsconfig.json',
]

/**
 * Builds the web app unless `web/dist` was built from exactly the present sources. A second process waits for
 * the first one's build, which empties the folder: tests start several products at once.
 */
export async function ensureWebBuilt(options: { readonly say: (message: string) => void }): Promise<void> {
  await mkdir(output, { recursive: true })
  let lock = tryLock(join(output, '.lock'))
  while (!lock) {
    await setTimeout(200)
    lock = tryLock(join(output, '.lock'))
  }
  try {
    await buildOnce(options)
  } finally {
    lock.close()
  }
}

async function buildOnce(options: { readonly say: (message: string) => void }): Promise<void> {
  const hash = await hashSources()
  if ((await readFile(stamp, 'utf8').catch(() => '')) === hash) return
  const started = Date.now()
  options.say('building the web app …')
  await buildWeb()
  await writeFile(stamp, hash)
  options.say(`built the web app in ${((Date.now() - started) / 1000).toFixed(1)} s`)
}

async function buildWeb(): Promise<void> {
  await runScript({
    args: ['scripts/build.ts'],
    env: { ...process.env, NODE_ENV: 'production' },
    failure: 'The web app could not be built.',
  })
}

async function hashSources(): Promise<string> {
  const hash = createHash('sha256')
  for (const source of sources) {
    for (const file of await listFiles(join(repositoryRoot, source))) {
      hash
        .update(relative(repositoryRoot, file))
        .update('\0')
        .update(await readFile(file))
        .update('\0')
    }
  }
  return hash.digest('hex')
}

async function listFiles(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch((error) => {
    if (error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (!entries) return [path]
  return entries
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(output))
    .sort()
}

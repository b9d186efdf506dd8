import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { build } from 'vite'
import { checkFirstLoad, checkSplitting } from './build/first-load.ts'
import { repositoryRoot } from './launch/script.ts'

process.env.NODE_ENV = 'production'
const shared = { configFile: join(repositoryRoot, 'web/vite.config.ts'), logLevel: 'warn' } as const

/** `npm run build`: what browsers load, and what renders the marketing pages in the server. */
await build(shared)
await build({ ...shared, build: { ssr: 'render.tsx' } })
const client = join(repositoryRoot, 'web/dist/client')
await checkSplitting({ web: join(repositoryRoot, 'web'), build: client })
for (const { page, bytes, files } of await checkFirstLoad(client)) {
  console.log(`${page} loads ${(bytes / 1000).toFixed(1)} kB of JavaScript (gzip) in ${files} files`)
}

/** As small as can be: a server that compresses each answer anew has time for a fifth less. */
await Promise.all(
  globSync(join(client, 'assets/*.{js,css}')).map(async (file) =>
    writeFile(`${file}.br`, await promisify(brotliCompress)(await readFile(file))),
  ),
)

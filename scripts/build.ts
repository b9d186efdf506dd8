import { join } from 'node:path'
import { build } from 'vite'
import { checkFirstLoad } from './build/first-load.ts'
import { repositoryRoot } from './launch/script.ts'

process.env.NODE_ENV = 'production'
const shared = { configFile: join(repositoryRoot, 'web/vite.config.ts'), logLevel: 'warn' } as const

/** `npm run build`: what browsers load, and what renders the marketing pages in the server. */
await build(shared)
await build({ ...shared, build: { ssr: 'render.tsx' } })
for (const { page, bytes } of await checkFirstLoad(join(repositoryRoot, 'web/dist/client'))) {
  console.log(`${page} loads ${(bytes / 1000).toFixed(1)} kB of JavaScript (gzip)`)
}

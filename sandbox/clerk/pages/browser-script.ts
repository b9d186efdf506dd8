import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import type { Router } from '@koa/router'
import send from 'koa-send'

/** The script, and the components that it loads. */
const packages = ['clerk-js', 'ui']

/** The real browser scripts, from the installed packages, at the paths that Clerk's own server has. */
export function browserScriptRoutes(router: Router): void {
  for (const name of packages) {
    const root = join(dirname(findPackageJSON(`@clerk/${name}`, import.meta.url) ?? ''), 'dist')
    for (const path of [`/npm/@clerk/${name}@:version/dist/:file`, `/npm/@clerk/${name}/dist/:file`]) {
      router.get(path, async (ctx) => {
        const file = ctx.params.file ?? ''
        // Chunks have their build in their name; the entry script is checked again after an hour.
        const isChunk = /_[0-9a-f]{6}_\d+\.\d+\.\d+\.js$/.test(file)
        await send(ctx, file, {
          root,
          maxAge: isChunk ? 365 * 24 * 60 * 60 * 1000 : 60 * 60 * 1000,
          immutable: isChunk,
        })
        if (ctx.fresh) ctx.status = 304
      })
    }
  }
}

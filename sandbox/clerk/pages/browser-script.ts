import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Router } from '@koa/router'
import send from 'koa-send'

/** The real browser script, from the installed package, at the path a package mirror would have. */
export function browserScriptRoutes(router: Router): void {
  const dist = join(dirname(createRequire(import.meta.url).resolve('@clerk/clerk-js/package.json')), 'dist')

  for (const path of ['/npm/@clerk/clerk-js@:version/dist/:file', '/npm/@clerk/clerk-js/dist/:file']) {
    router.get(path, async (ctx) => {
      const file = ctx.params.file ?? ''
      // Chunks have their build in their name; the entry script is checked again after an hour.
      const isChunk = /_[0-9a-f]{6}_\d+\.\d+\.\d+\.js$/.test(file)
      await send(ctx, file, {
        root: dist,
        maxAge: isChunk ? 365 * 24 * 60 * 60 * 1000 : 60 * 60 * 1000,
        immutable: isChunk,
      })
      if (ctx.fresh) ctx.status = 304
    })
  }
}

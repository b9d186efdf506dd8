import type { ReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Router } from '@koa/router'
import send from 'koa-send'

const packages = ['clerk-js', 'ui']

/** Serves the installed browser scripts at the paths of Clerk's own server, compressed as there. */
export function browserScriptRoutes(router: Router): void {
  const compressed = keepCompressed()
  for (const name of packages) {
    const root = join(dirname(findPackageJSON(`@clerk/${name}`, import.meta.url) ?? ''), 'dist')
    for (const path of [`/npm/@clerk/${name}@:version/dist/:file`, `/npm/@clerk/${name}/dist/:file`]) {
      router.get(path, async (ctx) => {
        const file = ctx.params.file ?? ''
        // Chunks have their build in their name; the entry script is checked again after an hour.
        const isChunk = /_[0-9a-f]{6}_\d+\.\d+\.\d+\.js$/.test(file)
        const sent = await send(ctx, file, {
          root,
          maxAge: isChunk ? 365 * 24 * 60 * 60 * 1000 : 60 * 60 * 1000,
          immutable: isChunk,
        })
        ctx.vary('accept-encoding')
        if (ctx.fresh) {
          ctx.status = 304
          return
        }
        const encoding = encodings.find((name) => ctx.acceptsEncodings(name) === name)
        if (!encoding) return
        const stream = ctx.body as ReadStream
        stream.destroy()
        ctx.body = await compressed(sent, encoding)
        ctx.set('content-encoding', encoding)
      })
    }
  }
}

/** The smaller first. */
const encodings = ['br', 'gzip'] as const

const compress = {
  br: (file: Buffer) => promisify(brotliCompress)(file, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (file: Buffer) => promisify(gzip)(file),
}

/** Compresses each file once: the installed packages do not change while the sandbox runs. */
function keepCompressed() {
  const kept = new Map<string, Promise<Buffer>>()
  return (path: string, encoding: keyof typeof compress): Promise<Buffer> => {
    const key = `${encoding} ${path}`
    const known = kept.get(key)
    if (known) return known
    const made = readFile(path).then(compress[encoding])
    kept.set(key, made)
    return made
  }
}

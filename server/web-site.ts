import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import type { PageState, RenderPage, SignInScripts } from '../schema/api/catalogue.ts'
import type { Settings } from './settings.ts'
import { webConfigOf } from './web-config.ts'

export interface WebDocument {
  /** 404 with the document that says so. */
  readonly status: 200 | 404
  readonly html: string
  /** The same, compressed as well as it can be. */
  readonly brotli: Buffer
  readonly etag: string
}

/** What `npm run build` leaves. The renderer is missing where only the app was built. */
interface Build {
  readonly shell: string
  readonly marketing?: {
    readonly template: string
    readonly paths: readonly string[]
    readonly renderPage: RenderPage
    readonly signInScripts: SignInScripts
    readonly isPage: (path: string) => boolean
  }
}

/**
 * The documents of the built web app, or nothing while it is not built. Each is rendered once in the life of
 * the process, since it depends on nothing but the settings, which the build does not know
 * (docs/decisions/099-what-pages-load.md).
 */
export function webSite(settings: Settings) {
  const config = webConfigOf(settings)
  const documents = new Map<string, WebDocument>()
  let build: Build | undefined
  return async (page: { path: string; signed_in: boolean }): Promise<WebDocument | undefined> => {
    build ??= await openBuild(settings.web_root)
    if (!build) return undefined
    const { shell, marketing } = build
    const path = withoutSlashes(page.path)
    const rendered = marketing?.paths.includes(path) ? marketing : undefined
    const status = !marketing || marketing.isPage(path) ? 200 : 404
    const state: PageState = { config, signed_in: page.signed_in }
    const scripts = rendered ? '' : (marketing?.signInScripts({ path, state }) ?? '')
    const key = `${rendered ? path : status} ${page.signed_in} ${scripts}`
    const known = documents.get(key)
    if (known) return known
    const html =
      (await rendered?.renderPage({ path, state, ...rendered })) ??
      shell.replace('</head>', () => `${scripts}</head>`)
    const document = { status, ...(await withState(html, state)) } as const
    documents.set(key, document)
    return document
  }
}

/** Without those at its end. A regular expression for that looks back from every slash. */
function withoutSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

async function openBuild(root: string): Promise<Build | undefined> {
  const shell = await readIfPresent(join(root, 'index.html'))
  const template = await readIfPresent(join(root, 'marketing.html'))
  if (shell === undefined) return undefined
  if (template === undefined) return { shell }
  const renderer = await import(pathToFileURL(join(root, '../server/render.js')).href)
  return { shell, marketing: { ...renderer, template } }
}

async function readIfPresent(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

/** Browsers do not run this type, so the CSP allows it. "<" is escaped so that no tag ends it. */
async function withState(html: string, state: PageState): Promise<Omit<WebDocument, 'status'>> {
  const json = JSON.stringify(state).replaceAll('<', '\\u003c')
  const complete = html.replace(
    /(<script type="application\/json" id="page-state">)(<\/script>)/,
    (_match, open: string, close: string) => open + json + close,
  )
  return {
    html: complete,
    brotli: await promisify(brotliCompress)(complete),
    etag: createHash('sha256').update(complete).digest('base64url').slice(0, 22),
  }
}

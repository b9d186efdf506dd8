import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

type BuildManifest = Readonly<Record<string, { readonly file: string; readonly imports?: readonly string[] }>>

interface Budget {
  readonly page: string
  /** The entry sources of the page's document and the immediate imports of its route. */
  readonly sources: readonly string[]
  readonly limit_bytes: number
}

const marketing = ['marketing.html', 'layouts/marketing/showSite.tsx']
const account = ['index.html', 'layouts/account/AccountLayout.tsx']

/** All JavaScript of a first visit, gzipped, but Clerk's own script on account pages. */
const budgets: readonly Budget[] = [
  { page: '/', sources: [...marketing, 'pages/landing/LandingPage.tsx'], limit_bytes: 100_000 },
  { page: '/pricing', sources: [...marketing, 'pages/pricing/PricingPage.tsx'], limit_bytes: 100_000 },
  { page: '/teams', sources: [...marketing, 'pages/teams/TeamsPage.tsx'], limit_bytes: 100_000 },
  { page: '/updates', sources: [...marketing, 'pages/updates/UpdatesPage.tsx'], limit_bytes: 100_000 },
  { page: '/sign-up', sources: ['index.html', 'pages/sign-up/SignUpPage.tsx'], limit_bytes: 200_000 },
  { page: '/dashboard', sources: [...account, 'pages/dashboard/DashboardPage.tsx'], limit_bytes: 200_000 },
]

/** Each is a request; the groups of `web/vite.config.ts` keep them few. */
const mostFiles = 20

/** The scripts in the heads of the documents that are no part of the bundles. */
const headScripts = ['theme.js', 'early-clicks.js']

export interface FirstLoad {
  readonly page: string
  readonly bytes: number
  readonly files: number
}

/** Throws when the first visit of a page loads more than its budget; answers how much each loads. */
export async function checkFirstLoad(folder: string): Promise<readonly FirstLoad[]> {
  const manifest = await readManifest(folder)
  const loads = await Promise.all(
    budgets.map(async ({ page, sources, limit_bytes }) => {
      const files = [...headScripts, ...filesOf(manifest, sources)]
      const sizes = await Promise.all(
        files.map(async (file) => gzipSync(await readFile(join(folder, file))).length),
      )
      const bytes = sizes.reduce((sum, size) => sum + size, 0)
      return { page, limit_bytes, bytes, files: files.length }
    }),
  )
  const problems = loads.flatMap(({ page, bytes, limit_bytes, files }) => [
    ...(bytes > limit_bytes
      ? [`${page} loads ${bytes} bytes of JavaScript (gzip), more than ${limit_bytes}.`]
      : []),
    ...(files > mostFiles ? [`${page} loads ${files} files of JavaScript, more than ${mostFiles}.`] : []),
  ])
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return loads.map(({ page, bytes, files }) => ({ page, bytes, files }))
}

/** Shown when nothing else can be loaded, so it comes with the router. */
const pagesOfTheRouter = ['pages/errors/NotFoundPage.tsx']

/** Throws unless each page of `web/pages` is loaded separately from the others. */
export async function checkSplitting(folders: { web: string; build: string }): Promise<void> {
  const manifest = await readManifest(folders.build)
  const pages = globSync('pages/**/*Page.tsx', { cwd: folders.web })
  const ownPages = pages.filter((page) => !pagesOfTheRouter.includes(page)).sort()
  if (ownPages.length === 0) throw new Error(`There are no pages in ${folders.web}.`)
  const problems = ownPages.flatMap((page) => {
    if (!manifest[page]) return [`${page} is no file of its own in the build.`]
    const loaded = filesOf(manifest, [page])
    return ownPages
      .filter((other) => other !== page && loaded.includes(manifest[other]?.file ?? ''))
      .map((other) => `${page} loads ${other}.`)
  })
  const atStart = [...filesOf(manifest, ['index.html']), ...filesOf(manifest, ['marketing.html'])]
  const early = ownPages.filter((page) => atStart.includes(manifest[page]?.file ?? ''))
  problems.push(...early.map((page) => `${page} is loaded by every page.`))
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

async function readManifest(folder: string): Promise<BuildManifest> {
  return JSON.parse(await readFile(join(folder, '.vite/manifest.json'), 'utf8')) as BuildManifest
}

/** Every file that is loaded with these sources, each once. */
function filesOf(manifest: BuildManifest, sources: readonly string[]): string[] {
  const files = new Set<string>()
  const visit = (source: string) => {
    const chunk = manifest[source]
    if (!chunk) throw new Error(`The build has no ${source}.`)
    if (files.has(chunk.file)) return
    files.add(chunk.file)
    for (const imported of chunk.imports ?? []) visit(imported)
  }
  for (const source of sources) visit(source)
  return [...files]
}

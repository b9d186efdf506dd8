import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkFirstLoad, checkSplitting } from './first-load.ts'

/** A build in which `shared.js` is loaded by every page, and `late.js` only when it is asked for. */
async function builtSite(sizes_bytes: { shared: number; late: number; small?: number }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-build-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, '.vite'))
  const imports = ['_shared.js']
  const small = Array.from({ length: sizes_bytes.small ?? 0 }, (_, index) => `small-${index}.js`)
  const page = { file: 'page.js', imports: [...imports, ...small] }
  const manifest = {
    '_shared.js': { file: 'shared.js' },
    'late.ts': { file: 'late.js' },
    ...Object.fromEntries(small.map((file) => [file, { file }])),
    'marketing.html': { file: 'marketing.js', imports, dynamicImports: ['late.ts'] },
    'index.html': { file: 'account.js', imports },
    'layouts/account/AccountLayout.tsx': page,
    'layouts/marketing/showSite.tsx': page,
    'pages/sign-up/SignUpPage.tsx': page,
    'pages/dashboard/DashboardPage.tsx': page,
    'pages/landing/LandingPage.tsx': page,
    'pages/pricing/PricingPage.tsx': page,
    'pages/teams/TeamsPage.tsx': page,
    'pages/updates/UpdatesPage.tsx': page,
  }
  await writeFile(join(folder, '.vite/manifest.json'), JSON.stringify(manifest))
  for (const file of ['theme.js', 'early-clicks.js', 'marketing.js', 'account.js', 'page.js', ...small])
    await writeFile(join(folder, file), '')
  // Random bytes, which do not get smaller.
  await writeFile(join(folder, 'shared.js'), randomBytes(sizes_bytes.shared))
  await writeFile(join(folder, 'late.js'), randomBytes(sizes_bytes.late))
  return folder
}

test('the check counts each file that a page loads at once, once', async () => {
  const loads = await checkFirstLoad(await builtSite({ shared: 60_000, late: 200_000 }))
  // The two of the head, the document's, the page's and what they share.
  expect(loads).toContainEqual({ page: '/', bytes: expect.any(Number), files: 5 })
  for (const { bytes } of loads) {
    expect(bytes).toBeGreaterThan(60_000)
    expect(bytes).toBeLessThan(61_000)
  }
})

test('the check refuses a build whose pages load more than their budget, and names them', async () => {
  const folder = await builtSite({ shared: 100_000, late: 0 })
  await expect(checkFirstLoad(folder)).rejects.toThrow(/^\/ loads 100\d+ bytes .*\n\/pricing loads/)
})

test('the check refuses a build whose pages load more than 20 files', async () => {
  const folder = await builtSite({ shared: 10, late: 0, small: 16 })
  await expect(checkFirstLoad(folder)).rejects.toThrow(
    '/dashboard loads 21 files of JavaScript, more than 20.',
  )
})

test('pages of the account may load 200 kB', async () => {
  const folder = await builtSite({ shared: 200_000, late: 0 })
  await expect(checkFirstLoad(folder)).rejects.toThrow(
    /\n\/dashboard loads 200\d+ bytes .* more than 200000\./,
  )
})

/** A build of two pages, each with the sources that it imports. */
async function builtPages(manifest: object) {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-build-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, '.vite'))
  for (const name of ['one/OnePage.tsx', 'two/TwoPage.tsx', 'errors/NotFoundPage.tsx']) {
    await mkdir(join(folder, 'pages', name, '..'), { recursive: true })
    await writeFile(join(folder, 'pages', name), '')
  }
  const documents = { 'index.html': { file: 'index.js' }, 'marketing.html': { file: 'marketing.js' } }
  await writeFile(join(folder, '.vite/manifest.json'), JSON.stringify({ ...documents, ...manifest }))
  return { web: folder, build: folder }
}

test('every page is loaded by itself', async () => {
  const one = { file: 'one.js' }
  const two = { file: 'two.js' }
  const pages = { 'pages/one/OnePage.tsx': one, 'pages/two/TwoPage.tsx': two }
  await expect(checkSplitting(await builtPages(pages))).resolves.toBeUndefined()

  const bundled = await builtPages({ 'pages/one/OnePage.tsx': one })
  await expect(checkSplitting(bundled)).rejects.toThrow('pages/two/TwoPage.tsx is no file of its own')

  const pulled = await builtPages({
    ...pages,
    'pages/one/OnePage.tsx': { ...one, imports: ['pages/two/TwoPage.tsx'] },
  })
  await expect(checkSplitting(pulled)).rejects.toThrow('pages/one/OnePage.tsx loads pages/two/TwoPage.tsx.')

  const early = await builtPages({
    ...pages,
    'index.html': { file: 'index.js', imports: ['pages/one/OnePage.tsx'] },
  })
  await expect(checkSplitting(early)).rejects.toThrow('pages/one/OnePage.tsx is loaded by every page.')
})

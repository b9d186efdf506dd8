import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkFirstLoad } from './first-load.ts'

/** A build in which `shared.js` is loaded by every page, and `late.js` only when it is asked for. */
async function builtSite(sizes_bytes: { shared: number; late: number }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-build-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, '.vite'))
  const imports = ['_shared.js']
  const page = { file: 'page.js', imports }
  const manifest = {
    '_shared.js': { file: 'shared.js' },
    'late.ts': { file: 'late.js' },
    'marketing.html': { file: 'marketing.js', imports, dynamicImports: ['late.ts'] },
    'pages/landing/LandingPage.tsx': page,
    'pages/pricing/PricingPage.tsx': page,
    'pages/teams/TeamsPage.tsx': page,
    'pages/updates/UpdatesPage.tsx': page,
  }
  await writeFile(join(folder, '.vite/manifest.json'), JSON.stringify(manifest))
  for (const file of ['theme.js', 'marketing.js', 'page.js']) await writeFile(join(folder, file), '')
  // Random bytes, which do not get smaller.
  await writeFile(join(folder, 'shared.js'), randomBytes(sizes_bytes.shared))
  await writeFile(join(folder, 'late.js'), randomBytes(sizes_bytes.late))
  return folder
}

test('counts what a page loads at once, each file once', async () => {
  const loads = await checkFirstLoad(await builtSite({ shared: 60_000, late: 200_000 }))
  expect(loads).toContainEqual({ page: '/', bytes: expect.any(Number) })
  for (const { bytes } of loads) {
    expect(bytes).toBeGreaterThan(60_000)
    expect(bytes).toBeLessThan(61_000)
  }
})

test('refuses a build whose pages load more than they may, and names them', async () => {
  const folder = await builtSite({ shared: 100_000, late: 0 })
  await expect(checkFirstLoad(folder)).rejects.toThrow(/^\/ loads 100\d+ bytes .*\n\/pricing loads/)
})

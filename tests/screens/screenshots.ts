import { copyFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, chromium } from '@playwright/test'
import { repositoryRoot } from '../../scripts/launch/script.ts'
import { launchThrowaway } from '../../scripts/launch/throwaway.ts'
import { browserArguments } from '../../scripts/test/tools/browser-arguments.ts'
import { findChromium } from '../../scripts/test/tools/chromium.ts'
import { type Cast, gatherCast, letDaysPass } from './cast.ts'
import { contactSheet } from './contact-sheet.ts'
import { type Screen, screens } from './list.ts'
import { showScreen } from './show.ts'

const folder = join(repositoryRoot, 'reports/screenshots')
/** The README's pictures, by the screen that they show. */
const readme = new Map([
  ['dashboard-1440-light', 'docs/images/dashboard.png'],
  ['support-attention-1440-light', 'docs/images/support-case.png'],
])
const widths_px = [1440, 768, 390]
const tablet_px = 768
const themes = ['light', 'dark'] as const
/** Two cores draw two pages at a time. */
const painters = 2

/**
 * `npm run screenshots` takes every screen and the README's pictures; `npm run screenshots -- billing` those
 * with that prefix.
 */
const [beginning = ''] = process.argv.slice(2)
const wanted = screens.filter(({ name }) => name.startsWith(beginning))
const failures: string[] = []
const running = new AsyncDisposableStack()
try {
  const { url, browser } = await launch()
  console.log('bringing people into their states …')
  const cast = await gatherCast(url)
  await letDaysPass(url, 2)
  const queue = [...wanted]
  const paint = async () => {
    for (let screen = queue.shift(); screen; screen = queue.shift()) {
      console.log(screen.name)
      await takePictures({ browser, baseURL: url, cast, screen }).catch((error) => {
        failures.push(`${screen?.name}: ${error instanceof Error ? error.message : error}`)
      })
    }
  }
  await Promise.all(Array.from({ length: painters }, paint))
} finally {
  await running.disposeAsync()
}
await writeFile(join(folder, 'index.html'), contactSheet({ screens, pictures: picturesOf }))
console.log(`\nPictures: ${join(folder, 'index.html')}`)
if (failures.length > 0) {
  console.error(`\n${failures.join('\n')}`)
  process.exitCode = 1
}

/** A product, which the support code of the browser tests finds by the environment, and a browser. */
async function launch(): Promise<{ url: string; browser: Browser }> {
  const found = await findChromium({ install: true, say: console.log })
  if (!found.found) throw new Error(found.reason)
  console.log('launching the product …')
  const product = await launchThrowaway({ logFile: join(folder, 'product.log') })
  running.defer(() => product.stop())
  process.env.E2E_DATABASE_URL = product.databaseUrl
  process.env.E2E_STRIPE_URL = product.stripeSandboxUrl
  process.env.E2E_CLERK_URL = product.clerkSandboxUrl
  const browser = await chromium.launch({ executablePath: found.value, args: browserArguments() })
  running.defer(() => browser.close())
  return { url: product.url, browser }
}

function widthsOf({ only }: Screen): number[] {
  if (only === 'wide') return widths_px.filter((width) => width >= tablet_px)
  if (only === 'narrow') return widths_px.filter((width) => width < tablet_px)
  return widths_px
}

function picturesOf(screen: Screen) {
  return themes.flatMap((theme) =>
    widthsOf(screen).map((width_px) => ({
      width_px,
      theme,
      file: `${screen.name}-${width_px}-${theme}.png`,
    })),
  )
}

/** Loads the screen once for each width, because menus differ; the theme changes on the open page. */
async function takePictures(input: {
  browser: Browser
  baseURL: string
  cast: Cast
  screen: Screen
}): Promise<void> {
  const { browser, baseURL, cast, screen } = input
  for (const width of widthsOf(screen)) {
    const context = await browser.newContext({
      baseURL,
      storageState: cast.sessions[screen.as],
      viewport: { width, height: width < tablet_px ? 844 : 900 },
      reducedMotion: 'reduce',
    })
    try {
      const page = await context.newPage()
      page.setDefaultTimeout(20_000)
      await showScreen(page, screen, cast)
      // The whole page, unless a dialog is open: a taller picture would cut the sidebar off.
      if (!screen.open) {
        const height = await page.evaluate<number>('document.documentElement.scrollHeight')
        await page.setViewportSize({ width, height })
      }
      for (const theme of themes) {
        await page.emulateMedia({ colorScheme: theme })
        const name = `${screen.name}-${width}-${theme}`
        const path = join(folder, `${name}.png`)
        await rm(path, { force: true })
        await page.screenshot({ path, animations: 'disabled' })
        const shown = readme.get(name)
        if (shown) await copyFile(path, join(repositoryRoot, shown))
      }
    } finally {
      await context.close()
    }
  }
}

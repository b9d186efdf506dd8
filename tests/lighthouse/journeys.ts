import { type Browser, type BrowserContext, type CDPSession, devices, type Page } from '@playwright/test'
import { arrive } from '../e2e/support/people.ts'

/** How a phone is connected and how fast it is; `null` is what this machine has. */
const profiles = {
  'as it is': null,
  /** An old phone with 3G: the figures of this profile are the ones that goals are about. */
  'slow phone': { latency_ms: 150, megabits_s: 1.6, cpu_slower: 4 },
} as const
type Profile = keyof typeof profiles

interface Journey {
  readonly name: string
  readonly path: string
  /** A page that is read before, until nothing is loading any more. */
  readonly before?: string
  readonly isSignedIn?: boolean
  /** What one waits for; else the largest paint. */
  readonly shown?: string
}

const figures = '[aria-labelledby="balance-title"]'

const journeys: readonly Journey[] = [
  { name: '/: largest paint', path: '/' },
  { name: '/sign-up: form, first visit', path: '/sign-up', shown: 'input[name="emailAddress"]' },
  {
    name: '/sign-up: form, after /pricing',
    path: '/sign-up',
    before: '/pricing',
    shown: 'input[name="emailAddress"]',
  },
  { name: '/dashboard: figures, first visit', path: '/dashboard', isSignedIn: true, shown: figures },
  {
    name: '/dashboard: last known, later visit',
    path: '/dashboard',
    before: '/dashboard',
    isSignedIn: true,
    shown: `[aria-labelledby="last-balance-title"], ${figures}`,
  },
  {
    name: '/dashboard: figures, later visit',
    path: '/dashboard',
    before: '/dashboard',
    isSignedIn: true,
    shown: figures,
  },
]

interface Figures {
  readonly seconds: number
  /** Arrived until then. */
  readonly kB: number
  readonly requests: number
}

/** The middle of each journey's runs, in turns, so that what else the machine does meets all alike. */
export async function measureJourneys(
  browser: Browser,
  url: string,
  options: { runs: number; own: boolean },
) {
  const possible = journeys.filter(({ isSignedIn }) => options.own || !isSignedIn)
  const measured = new Map<string, Figures[]>()
  for (let run = 1; run <= options.runs; run += 1) {
    console.log(`run ${run} of ${options.runs} …`)
    for (const profile of Object.keys(profiles) as Profile[]) {
      for (const journey of possible) {
        const key = `${profile} ${journey.name}`
        measured.set(key, [...(measured.get(key) ?? []), await makeJourney(browser, url, journey, profile)])
      }
    }
  }
  return new Map([...measured].map(([key, runs]) => [key, middle(runs)]))
}

async function makeJourney(browser: Browser, url: string, journey: Journey, profile: Profile) {
  const context = await browser.newContext({ ...devices['Pixel 7'], baseURL: url })
  try {
    if (journey.isSignedIn) await haveAccount(browser, context, url)
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await slowDown(session, profile)
    if (journey.before) {
      await page.goto(journey.before, { waitUntil: 'networkidle' })
      await page.mouse.wheel(0, 300)
      // The first move of a reader, who stays until what follows has been fetched.
      await page.waitForTimeout(1000)
      await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))')
      while (await isLoading(page)) await page.waitForTimeout(500)
    }
    const arrived: number[] = []
    session.on('Network.loadingFinished', ({ encodedDataLength }) => arrived.push(encodedDataLength))
    await page.addInitScript(observe(journey.shown))
    await page.goto(journey.path, { waitUntil: journey.shown ? 'commit' : 'networkidle' })
    if (journey.shown) await page.locator(journey.shown).first().waitFor({ timeout: 120_000 })
    const shown_ms = await page.evaluate<number>('window.shownAt')
    return {
      seconds: Math.round(shown_ms / 10) / 100,
      kB: Math.round(arrived.reduce((sum, bytes) => sum + bytes, 0) / 1000),
      requests: arrived.length,
    }
  } finally {
    await context.close()
  }
}

/** Of a person who has been here before, in a browser that has nothing of it. */
async function haveAccount(browser: Browser, context: BrowserContext, url: string): Promise<void> {
  await using first = await browser.newContext({ baseURL: url })
  await arrive(first.request)
  const page = await first.newPage()
  await page.goto('/dashboard')
  await page.locator(figures).waitFor()
  await context.addCookies(await first.cookies())
}

async function slowDown(session: CDPSession, profile: Profile): Promise<void> {
  const slow = profiles[profile]
  if (!slow) return
  const bytes_s = (slow.megabits_s * 1_000_000) / 8
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: slow.latency_ms,
    downloadThroughput: bytes_s,
    uploadThroughput: bytes_s,
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: slow.cpu_slower })
}

/** Whether a file has arrived within the last second. */
function isLoading(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(
    'performance.getEntriesByType("resource").some(({ responseEnd }) => responseEnd > performance.now() - 1000)',
  )
}

/** Notes when the element has a place on the page, or else the largest paint. */
function observe(selector: string | undefined): string {
  if (!selector) {
    return `new PerformanceObserver((paints) => {
      window.shownAt = paints.getEntries().at(-1).startTime
    }).observe({ type: 'largest-contentful-paint', buffered: true })`
  }
  return `(() => {
    const look = () => {
      const isShown = document.querySelector(${JSON.stringify(selector)})?.getClientRects().length > 0
      if (isShown) window.shownAt = performance.now()
      else requestAnimationFrame(look)
    }
    look()
  })()`
}

function middle(runs: readonly Figures[]): Figures {
  const sorted = runs.toSorted((a, b) => a.seconds - b.seconds)
  const found = sorted[Math.floor(sorted.length / 2)]
  if (!found) throw new Error('Nothing was measured.')
  return found
}

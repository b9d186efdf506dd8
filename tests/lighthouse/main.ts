import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from '@playwright/test'
import { repositoryRoot } from '../../scripts/launch/script.ts'
import { launchThrowaway } from '../../scripts/launch/throwaway.ts'
import { browserArguments } from '../../scripts/test/tools/browser-arguments.ts'
import { findChromium } from '../../scripts/test/tools/chromium.ts'
import { arrive } from '../e2e/support/people.ts'
import { type Category, largestLayoutShift, measuredPages } from './pages.ts'

/** Not in package.json: its 160 packages were a fourth of the files of an install, for this command alone. */
const lighthouse = 'lighthouse@12.8.2'
/** Speed differs from run to run, so it is the middle of this many. */
const runs = 3
const categories: readonly Category[] = ['performance', 'accessibility', 'best-practices', 'seo']
const devices = ['mobile', 'desktop'] as const
const folder = join(repositoryRoot, 'reports/lighthouse')

/**
 * `npm run lighthouse` measures a product that it launches itself; `npm run lighthouse -- https://…` another
 * one's public pages. `npm run lighthouse -- / /pricing` measures these pages only. It fails when a score is
 * too low.
 */
const measurements: Measurement[] = []
const given = process.argv.slice(2)
const givenUrl = given.find((argument) => URL.canParse(argument))
const pages = pagesToMeasure(given.filter((argument) => argument !== givenUrl))
const running = new AsyncDisposableStack()
try {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const browser = await findChromium({ install: true, say: console.log })
  if (!browser.found) throw new Error(browser.reason)
  const url = givenUrl ?? (await launchHere(running))
  for (const page of pages) {
    if (page.isSignedIn && givenUrl) console.log(`${page.path} needs the sandbox's sign-in; it is left out.`)
    else measurements.push(...(await measure({ url, page, executablePath: browser.value })))
  }
} finally {
  await running.disposeAsync()
}
console.table(Object.fromEntries(measurements.map(({ name, ...shown }) => [name, shown.row])))
await writeFile(join(folder, 'scores.json'), `${JSON.stringify(measurements, null, 2)}\n`)
const problems = measurements.flatMap(({ name, problems }) =>
  problems.map((problem) => `${name}: ${problem}`),
)
console.log(problems.length > 0 ? `\n${problems.join('\n')}\n` : '\nEvery score is high enough.')
console.log(`Reports: ${folder}`)
if (problems.length > 0) process.exitCode = 1

/** What is read of a report: https://github.com/GoogleChrome/lighthouse/blob/v12.8.2/types/lhr/lhr.d.ts */
interface Result {
  readonly categories: Readonly<
    Record<
      string,
      {
        readonly score: number | null
        readonly auditRefs: readonly { readonly id: string; readonly weight: number }[]
      }
    >
  >
  readonly audits: Readonly<
    Record<
      string,
      { readonly score: number | null; readonly numericValue?: number; readonly displayValue?: string }
    >
  >
  readonly runtimeError?: { readonly message: string }
}

interface Measurement {
  readonly name: string
  readonly row: Readonly<Record<string, number>>
  readonly problems: readonly string[]
}

function pagesToMeasure(paths: readonly string[]): typeof measuredPages {
  const unknown = paths.filter((wanted) => !measuredPages.some(({ path }) => path === wanted))
  if (unknown.length > 0) throw new Error(`Not one of the measured pages: ${unknown.join(', ')}`)
  return paths.length === 0 ? measuredPages : measuredPages.filter(({ path }) => paths.includes(path))
}

async function launchHere(stack: AsyncDisposableStack): Promise<string> {
  console.log('launching the product …')
  const product = await launchThrowaway({ logFile: join(folder, 'product.log') })
  stack.defer(() => product.stop())
  return product.url
}

/** One page on a phone and on a desktop, in a browser of its own. */
async function measure(input: {
  url: string
  page: (typeof measuredPages)[number]
  executablePath: string
}): Promise<Measurement[]> {
  const { url, page, executablePath } = input
  const profile = await mkdtemp(join(tmpdir(), 'tidemark-lighthouse-'))
  const port = await freePort()
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    baseURL: url,
    args: [...browserArguments(), `--remote-debugging-port=${port}`],
  })
  try {
    if (page.isSignedIn) await arrive(context.request)
    const measured: Measurement[] = []
    for (const device of devices) {
      const name = `${page.path} ${device}`
      console.log(`measuring ${name} …`)
      const results: Result[] = []
      for (let run = 0; run < (page.least.performance ? runs : 1); run += 1) {
        results.push(await runLighthouse({ address: url + page.path, port, device }))
      }
      measured.push({ name, ...judge(middle(results), page.least) })
    }
    return measured
  } finally {
    await context.close()
    await rm(profile, { recursive: true, force: true })
  }
}

async function runLighthouse(input: { address: string; port: number; device: (typeof devices)[number] }) {
  const { address, port, device } = input
  const name = `${new URL(address).pathname.slice(1) || 'landing'}-${device}`
  const path = join(folder, name)
  await promisify(execFile)(
    'npx',
    [
      '--yes',
      lighthouse,
      address,
      `--port=${port}`,
      `--only-categories=${categories.join(',')}`,
      ...(device === 'desktop' ? ['--preset=desktop'] : []),
      '--output=html',
      '--output=json',
      `--output-path=${path}`,
      '--quiet',
    ],
    { cwd: repositoryRoot, shell: process.platform === 'win32' },
  )
  const result = JSON.parse(await readFile(`${path}.report.json`, 'utf8')) as Result
  if (result.runtimeError) throw new Error(`${address}: ${result.runtimeError.message}`)
  return result
}

function middle(results: readonly Result[]): Result {
  const sorted = results.toSorted((a, b) => score(a, 'performance') - score(b, 'performance'))
  const found = sorted[Math.floor(sorted.length / 2)]
  if (!found) throw new Error('Nothing was measured.')
  return found
}

function judge(result: Result, least: Readonly<Partial<Record<Category, number>>>) {
  const shift = result.audits['cumulative-layout-shift']?.numericValue ?? 0
  const value = (id: string) => Math.round(result.audits[id]?.numericValue ?? 0)
  const row = {
    ...Object.fromEntries(categories.map((category) => [category, score(result, category)])),
    'first paint ms': value('first-contentful-paint'),
    'largest paint ms': value('largest-contentful-paint'),
    'blocked ms': value('total-blocking-time'),
    'layout shift': Math.round(shift * 1000) / 1000,
    kB: Math.round(value('total-byte-weight') / 1000),
  }
  const low = categories.filter((category) => score(result, category) < (least[category] ?? 0))
  return {
    row,
    problems: [
      ...low.map(
        (category) =>
          `${category} ${score(result, category)} instead of ${least[category]} (${failedAudits(result, category)})`,
      ),
      ...(shift < largestLayoutShift
        ? []
        : [`layout shift ${shift} instead of less than ${largestLayoutShift}`]),
    ],
  }
}

function score(result: Result, category: Category): number {
  return Math.round((result.categories[category]?.score ?? 0) * 100)
}

function failedAudits(result: Result, category: Category): string {
  const audits = result.categories[category]?.auditRefs ?? []
  return audits
    .filter(({ id, weight }) => weight > 0 && (result.audits[id]?.score ?? 1) < 0.9)
    .map(({ id }) => `${id} ${result.audits[id]?.displayValue ?? ''}`.trim())
    .join(', ')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (!address || typeof address === 'string') throw new Error('No port is free.')
  return address.port
}

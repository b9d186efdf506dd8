import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from '@playwright/test'
import { installWithApt, lastWords, whyNoApt } from './apt.ts'
import { findProgram, type Tool } from './find-program.ts'

const run = promisify(execFile)
/** Debian's headless shell starts sooner than Chromium and does the same for a test. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** A browser for the tests: Playwright's own, the system's, or one that is installed now. */
export async function findChromium(options: {
  readonly install: boolean
  readonly say: (message: string) => void
}): Promise<Tool> {
  const own = chromium.executablePath()
  if (existsSync(own)) return { found: true, value: own }
  const system = await findProgram(names)
  if (system) return { found: true, value: system }
  if (!options.install) return { found: false, reason: 'no Chromium is installed' }

  const refusals: string[] = []
  for (const [name, install] of [
    ['apt-get', installFromDebian],
    ['playwright install', installFromPlaywright],
  ] as const) {
    try {
      options.say(`installing Chromium with ${name} …`)
      const path = await install()
      if (path) return { found: true, value: path }
      refusals.push(`${name}: installed, but it does not run`)
    } catch (error) {
      refusals.push(`${name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return {
    found: false,
    reason: `no Chromium is installed, and installing one failed (${refusals.join('; ')})`,
  }
}

/** The fonts are only recommended by the packages, and a page without any has no text. */
async function installFromDebian(): Promise<string | undefined> {
  const refusal = await whyNoApt()
  if (refusal) throw new Error(refusal)
  await installWithApt(['chromium-headless-shell', 'fonts-liberation']).catch(() =>
    // Not every system that is like Debian has the shell.
    installWithApt(['chromium', 'fonts-liberation']),
  )
  return await findProgram(names)
}

async function installFromPlaywright(): Promise<string | undefined> {
  const cli = join(dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json')), 'cli.js')
  const dependencies = process.getuid?.() === 0 && process.platform === 'linux' ? ['--with-deps'] : []
  await run(process.execPath, [cli, 'install', ...dependencies, 'chromium'], {
    timeout: 15 * 60_000,
    maxBuffer: 1 << 26,
  }).catch((error) => {
    throw new Error(lastWords(error), { cause: error })
  })
  return await findProgram([chromium.executablePath()])
}

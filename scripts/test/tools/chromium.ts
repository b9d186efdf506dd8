import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from '@playwright/test'
import { installWithApt, lastWords, whyNoApt } from './apt.ts'
import { findProgram, type Tool } from './find-program.ts'

const run = promisify(execFile)
const fullBrowsers = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * A browser for the tests: Playwright's own, the system's, or one that is installed now. The headless shell
 * needs half the CPU of a full Chromium and does the same for a test, so it is installed even beside one.
 */
export async function findChromium(options: {
  readonly install: boolean
  readonly say: (message: string) => void
}): Promise<Tool> {
  const { install, say } = options
  const aptRefusal = install ? await whyNoApt() : undefined
  const ways: Ways = [
    ['', findShell],
    ...installs(install && !aptRefusal, [['apt-get', installShellFromDebian]]),
    ['', findFullBrowser],
    ...installs(install && !aptRefusal, [['apt-get', installFullFromDebian]]),
    ...installs(install, [['playwright install', installFromPlaywright]]),
  ]
  const refusals = aptRefusal ? [`apt-get: ${aptRefusal}`] : []
  for (const [name, bring] of ways) {
    if (name) say(`installing Chromium with ${name} …`)
    try {
      const path = await bring()
      if (path) return { found: true, value: path }
      if (name) refusals.push(`${name}: installed, but it does not run`)
    } catch (error) {
      refusals.push(`${name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  const reason = 'no Chromium is installed'
  if (!install) return { found: false, reason }
  return { found: false, reason: `${reason}, and installing one failed (${refusals.join('; ')})` }
}

type Ways = readonly (readonly [program: string, bring: () => Promise<string | undefined>])[]

function installs(allowed: boolean, ways: Ways): Ways {
  return allowed ? ways : []
}

function findShell(): Promise<string | undefined> {
  const [folder = ''] = /^.*chromium-\d+/.exec(chromium.executablePath()) ?? []
  const ownFolder = folder.replace(/chromium-(\d+)$/, 'chromium_headless_shell-$1')
  const shells = globSync('*/*headless?shell{,.exe}', { cwd: ownFolder }).map((file) => join(ownFolder, file))
  return findProgram([...shells, 'chromium-headless-shell'])
}

function findFullBrowser(): Promise<string | undefined> {
  return findProgram([chromium.executablePath(), ...fullBrowsers])
}

/** The fonts are only recommended by the packages, and a page without any has no text. */
async function installShellFromDebian(): Promise<string | undefined> {
  await installWithApt(['chromium-headless-shell', 'fonts-liberation'])
  return await findShell()
}

/** Not every system that is like Debian has the shell. */
async function installFullFromDebian(): Promise<string | undefined> {
  await installWithApt(['chromium', 'fonts-liberation'])
  return await findFullBrowser()
}

async function installFromPlaywright(): Promise<string | undefined> {
  const cli = join(dirname(createRequire(import.meta.url).resolve('@playwright/test/package.json')), 'cli.js')
  const dependencies = process.getuid?.() === 0 && process.platform === 'linux' ? ['--with-deps'] : []
  await run(process.execPath, [cli, 'install', '--only-shell', ...dependencies, 'chromium'], {
    timeout: 15 * 60_000,
    maxBuffer: 1 << 26,
  }).catch((error) => {
    throw new Error(lastWords(error), { cause: error })
  })
  return await findShell()
}

import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { EnvironmentError } from '../schema/env.ts'
import { loadDotEnv } from './dot-env.ts'
import { FolderInUseError } from './launch/data-lock.ts'
import { createOutput } from './launch/output.ts'
import { PortsEqualError, PortTakenError } from './launch/ports.ts'
import { launchRehearsal } from './launch/rehearsal.ts'
import { repositoryRoot } from './launch/script.ts'
import { launcherData } from './launch/stand-ins.ts'
import { type LaunchOptions, launchProduct, type RunningProduct } from './launch.ts'

/** Errors whose messages state the problem and its solution. */
const expectedErrors = [EnvironmentError, FolderInUseError, PortTakenError, PortsEqualError]
const has = (option: string) => process.argv.includes(`--${option}`)
const isRehearsal = has('production')
const dataDir = isRehearsal ? join(launcherData, 'rehearsal') : launcherData
const logFolder = join(dataDir, 'logs')

await start({ watch: has('watch'), demo: !has('empty'), verbose: has('verbose') })

/**
 * `npm start`: launches the product, prints its address, and runs until it or the process above it is
 * stopped. In a new clone the people of the demo then live through their months, unless it is to stay empty.
 * `--production` rehearses production at the stand-ins, with data of its own.
 */
async function start({
  watch,
  demo,
  verbose,
}: Required<Pick<LaunchOptions, 'watch' | 'demo'>> & { readonly verbose: boolean }): Promise<void> {
  process.chdir(repositoryRoot)
  loadDotEnv()
  const output = createOutput(process.stdout, verbose ? undefined : logFolder)
  const giveUp = new AbortController()
  const starting = (isRehearsal ? launchRehearsal : launchProduct)({
    env: process.env,
    dataDir,
    onLine: output.line,
    say: output.say,
    signal: giveUp.signal,
    watch,
    demo,
  })
  stopWhenTold(async () => {
    output.say('stopping …')
    giveUp.abort()
    const product = await starting.catch(() => undefined)
    await product?.stop()
    output.say('stopped')
  })
  try {
    const product = await starting
    output.say(`ready on ${product.url}`)
    if (product.demo) {
      output.say('bringing the demo to life: three months in some seconds …')
      await product.demo.catch((error: Error) => {
        if (!giveUp.signal.aborted) output.say(`The demo ended before its time: ${error.message}`)
      })
    }
    if (!giveUp.signal.aborted) output.say(await describeProduct(product))
  } catch (error) {
    if (giveUp.signal.aborted) return
    const isExpected = expectedErrors.some((kind) => error instanceof kind)
    if (!isExpected) for (const line of output.latest()) output.say(line)
    output.say(explain(error))
    process.exitCode = 1
  }
}

async function describeProduct(product: RunningProduct): Promise<string> {
  const rows: [string, string][] = [
    ...(product.clerkSandboxUrl
      ? await describePeople(product.clerkSandboxUrl)
      : ([['sign in', 'Clerk (CLERK_SECRET_KEY)']] as [string, string][])),
    [
      'payments',
      product.stripeSandboxUrl
        ? `Stripe sandbox on ${product.stripeSandboxUrl}: card 4242 4242 4242 4242, any date and CVC`
        : 'Stripe (STRIPE_SECRET_KEY)',
    ],
    ...(product.clerkSandboxUrl
      ? ([['accounts', `Clerk sandbox on ${product.clerkSandboxUrl}`]] as [string, string][])
      : []),
    ...(product.sampleEditorUrl
      ? ([['editor', `Sample editor on ${product.sampleEditorUrl}`]] as [string, string][])
      : []),
    [
      'database',
      product.embeddedPostgres ? 'Postgres from the install, on this machine only' : 'DATABASE_URL',
    ],
    ['queues', product.queues === 'Redis' ? 'Redis (REDIS_URL)' : 'in the same Postgres'],
    ['data', `${relative(process.cwd(), dataDir)}/ (kept between runs; delete it to start over)`],
    ['logs', `${relative(process.cwd(), logFolder)}/ (with --verbose here)`],
    ...(product.differences ?? []).map((text): [string, string] => ['differs', text]),
  ]
  const table = rows.map(([name, text]) => `  ${name.padEnd(10)}${text}`).join('\n')
  return `\n${table}\n\n${product.url}   Ctrl-C stops everything.`
}

/** As whom people can sign in, from the stand-in of Clerk, which the chip "Sandbox" of every page asks too. */
async function describePeople(clerkSandboxUrl: string): Promise<[string, string][]> {
  const answer = await fetch(`${clerkSandboxUrl}/_sandbox`)
  const { people } = (await answer.json()) as { people: { name: string; email: string; password: string }[] }
  const lines = people.map(({ name, email, password }) => `${name.padEnd(16)}${email.padEnd(26)}${password}`)
  return [...lines, 'or sign up: the e-mail code is 424242'].map((line, index) => [
    index === 0 ? 'sign in' : '',
    line,
  ])
}

function explain(error: unknown): string {
  if (expectedErrors.some((kind) => error instanceof kind)) return (error as Error).message
  return error instanceof Error ? `could not start: ${error.message}` : String(error)
}

/**
 * Ctrl-C, SIGTERM and a closed terminal stop everything in order, a second Ctrl-C does not wait. When npm is
 * killed, the system gives its child another parent without a signal, so the ancestors are checked.
 */
function stopWhenTold(stop: () => Promise<void>): void {
  let stopping = false
  const once = () => {
    if (stopping) return process.exit(130)
    stopping = true
    stop().then(
      () => process.exit(process.exitCode ?? 0),
      (error) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', once)
  process.on('SIGTERM', once)
  process.on('SIGHUP', once)
  if (!process.env.npm_lifecycle_event) return
  const ancestors = readAncestors()
  setInterval(() => {
    if (!stopping && readAncestors() !== ancestors) once()
  }, 1_000).unref()
}

/**
 * The three processes above this one: `run.mjs`, the shell that npm starts it with, and npm. When one of them
 * ends, the system gives its child another parent and the list changes.
 */
function readAncestors(): string {
  const shell = parentOf(process.ppid)
  return [process.ppid, shell, parentOf(shell)].join(' ')
}

/** On Linux only; elsewhere the shell is replaced by the program it runs. */
function parentOf(pid: number | string): string {
  try {
    return /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? ''
  } catch {
    return ''
  }
}

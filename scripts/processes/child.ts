import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { repositoryRoot } from '../launch/script.ts'

export type ChildOptions = {
  readonly name: string
  /** The Node that runs this when undefined; its first argument is then the script. */
  readonly program?: string | undefined
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly onLine: (line: string) => void
}

export type ChildExit = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

export type Child = {
  readonly name: string
  readonly pid: number
  readonly exited: Promise<ChildExit>
  /** Sends SIGTERM, and SIGKILL after the grace period. */
  readonly stop: (options?: { grace_ms?: number }) => Promise<void>
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>
}

/**
 * Starts one process of the product in its own process group, so that Ctrl-C reaches only the launcher, which
 * stops all in order, and so that its own children end with it.
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const child = spawn(options.program ?? process.execPath, options.args, {
    cwd: repositoryRoot,
    env: options.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<ChildExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  forwardLines(child.stdout, options.onLine)
  forwardLines(child.stderr, options.onLine)
  await once(child, 'spawn')
  const pid = child.pid ?? 0

  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    signalGroup(child, signal)
    await exited
  }
  const stop = async ({ grace_ms = 15_000 } = {}) => {
    signalGroup(child, 'SIGTERM')
    const cancel = new AbortController()
    const grace = delay(grace_ms, 'late', { signal: cancel.signal }).catch(() => 'done')
    if ((await Promise.race([exited, grace])) === 'late') await kill()
    cancel.abort()
  }
  return { name: options.name, pid, exited, stop, kill }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.exitCode !== null || child.signalCode !== null || !child.pid) return
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function forwardLines(stream: Readable, onLine: (line: string) => void): void {
  createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', onLine)
}

/** Where a dozen processes start on a busy machine, one takes longer than a minute. */
const patience_ms = 120_000

export type Readiness = {
  /** Called repeatedly until it returns true; an error counts as false. */
  readonly isReady: () => Promise<boolean>
  readonly signal?: AbortSignal | undefined
}

/** Resolves when the process is ready; rejects on its end, at the deadline and on abort. */
export async function waitUntilReady(child: Child, options: Readiness): Promise<void> {
  const deadline = Date.now() + patience_ms
  let exit: ChildExit | undefined
  child.exited.then((value) => {
    exit = value
  })
  for (;;) {
    options.signal?.throwIfAborted()
    if (exit) throw new Error(`${child.name} ended before it was ready (${describeExit(exit)})`)
    if (await options.isReady().catch(() => false)) return
    if (Date.now() > deadline) throw new Error(`${child.name} was not ready in time`)
    await delay(50)
  }
}

/** Whether an address answers 2xx. */
export async function answersWell(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) })
  await response.body?.cancel()
  return response.ok
}

export function describeExit(exit: ChildExit): string {
  return exit.signal ? `signal ${exit.signal}` : `exit code ${exit.code}`
}

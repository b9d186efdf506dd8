import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export const repositoryRoot = join(import.meta.dirname, '../..')

/** Runs a command of the install to its end; its output is shown only when it fails. */
export async function runScript(options: {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly failure: string
}): Promise<void> {
  const child = spawn(process.execPath, options.args, {
    cwd: repositoryRoot,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${options.failure}\n${output.trim()}`)
}

/** A process of its own: a failure in it cannot leave the launcher with half-open connections. */
export async function migrateDatabase(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  await runScript({ args: ['scripts/migrate.ts'], env, failure: 'The database could not be migrated.' })
}

/** Creates products, prices and portals in the sandbox. A real account is set up by its owner. */
export async function setUpStripeSandbox(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  await runScript({
    args: ['scripts/stripe-setup.ts'],
    env,
    failure: 'The Stripe sandbox could not be set up.',
  })
}

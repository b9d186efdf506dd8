import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** A sandbox process, without webhooks unless it has an address. Ends with the test. */
export function spawnSandbox(service: 'clerk' | 'stripe', variables: Record<string, string>) {
  const name = service.toUpperCase()
  const child = spawn(process.execPath, [join(import.meta.dirname, `../../${service}/main.ts`)], {
    env: { ...process.env, [`SANDBOX_${name}_PORT`]: '0', [`SANDBOX_${name}_WEBHOOK_URL`]: '', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  return {
    exited,
    errors: () => errors,
    end(signal: NodeJS.Signals) {
      child.kill(signal)
      return exited
    },
    async ready(): Promise<{ url: string; port: number }> {
      for await (const line of createInterface(child.stdout)) {
        const url = new RegExp(`^sandbox/${service} ready on (http://localhost:\\d+)$`).exec(line)?.[1]
        if (!url) throw new Error(`The first line should say where it is ready, not: ${line}`)
        return { url, port: Number(new URL(url).port) }
      }
      throw new Error(`The sandbox did not start: ${errors}`)
    },
  }
}

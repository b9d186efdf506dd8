import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Sandbox = {
  port: number
  url: string
  close(): Promise<void>
}

/** Called before the state file is opened, so that a second process on the port fails without touching it. */
export async function listen({
  port,
  host,
}: {
  port: number
  host: string
}): Promise<Sandbox & { server: Server }> {
  const server = createServer()
  // Longer than the pause between a client's calls, so that it never reuses a closing connection.
  server.keepAliveTimeout = 75_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { port: taken } = server.address() as AddressInfo
  return {
    server,
    port: taken,
    url: `http://localhost:${taken}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** A sandbox as a process: prints its address when it is ready, and ends on a signal. */
export async function runSandbox<Settings extends { port: number }>(
  name: string,
  {
    readSettings,
    start,
  }: {
    readSettings: (variables: Record<string, string | undefined>) => Settings
    start: (settings: Settings) => Promise<Sandbox>
  },
): Promise<void> {
  try {
    const settings = readSettings(process.env)
    const sandbox = await start(settings).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') throw error
      throw new Error(
        `sandbox/${name} cannot listen on port ${settings.port}: it is taken. Free it, or set SANDBOX_${name.toUpperCase()}_PORT to another one.`,
      )
    })
    console.log(`sandbox/${name} ready on ${sandbox.url}`)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => sandbox.close().then(() => process.exit(0)))
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}

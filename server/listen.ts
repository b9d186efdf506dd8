import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Dependencies } from './dependencies.ts'

export interface ListeningServer {
  readonly port: number
  /** Accepts no new calls, finishes open ones, and closes the rest after `limit_ms`. */
  close(limit_ms: number): Promise<void>
}

type Listener = Parameters<typeof createServer>[1]

/** Port 0 means any free port. Rejects when the port is in use. */
export function listen(
  callback: Listener,
  { host, port }: { readonly host: string; readonly port: number },
  { log }: Pick<Dependencies, 'log'>,
): Promise<ListeningServer> {
  // Longer than the idle time of load balancers, which would reuse a connection that we just closed.
  const limits = { keepAliveTimeout: 65_000, headersTimeout: 15_000, requestTimeout: 30_000 }
  const server = createServer(limits, callback)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      server.on('error', (error) => log.error({ err: error }, 'The server socket failed'))
      resolve({
        port: (server.address() as AddressInfo).port,
        close: (limit_ms) => drain(limit_ms),
      })
    })
  })

  function drain(limit_ms: number): Promise<void> {
    return new Promise((resolve) => {
      // Kept-alive connections become idle one after the other, as their requests are answered.
      const idle = setInterval(() => server.closeIdleConnections(), 50)
      const late = setTimeout(() => server.closeAllConnections(), limit_ms)
      server.close(() => {
        clearInterval(idle)
        clearTimeout(late)
        resolve()
      })
      server.closeIdleConnections()
    })
  }
}

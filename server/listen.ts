import { createServer } from 'node:http'
import { type AddressInfo, Server } from 'node:net'
import type { Dependencies } from './dependencies.ts'

export interface ListeningServer {
  readonly port: number
  /** From now on each answer ends its connection, so that its client takes another server. */
  endConnections(): void
  /**
   * Accepts no new connections and finishes open calls, at most for `limit_ms`. Connections that are kept
   * alive stay for `grace_ms`: a call may be on its way over them.
   */
  close(times: { readonly limit_ms: number; readonly grace_ms: number }): Promise<void>
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
  const server = createServer(limits)
  let isEnding = false
  server.on('request', (request, response) => {
    if (isEnding) response.shouldKeepAlive = false
    callback?.(request, response)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      server.on('error', (error) => log.error({ err: error }, 'The server socket failed'))
      resolve({
        port: (server.address() as AddressInfo).port,
        endConnections() {
          isEnding = true
        },
        close: drain,
      })
    })
  })

  function drain({ limit_ms, grace_ms }: Parameters<ListeningServer['close']>[0]): Promise<void> {
    isEnding = true
    return new Promise((resolve) => {
      let idle: NodeJS.Timeout | undefined
      const closeIdle = () => {
        server.closeIdleConnections()
        // Kept-alive connections become idle one after the other, as their requests are answered.
        idle ??= setInterval(() => server.closeIdleConnections(), 50)
      }
      const grace = grace_ms > 0 ? setTimeout(closeIdle, grace_ms) : undefined
      const late = setTimeout(() => server.closeAllConnections(), limit_ms)
      // That of an HTTP server closes idle connections at once.
      Server.prototype.close.call(server, () => {
        clearInterval(idle)
        clearTimeout(grace)
        clearTimeout(late)
        resolve()
      })
      if (!grace) closeIdle()
    })
  }
}

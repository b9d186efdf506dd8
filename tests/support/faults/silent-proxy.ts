import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface SilentProxy {
  /** The same service, reached through the proxy. */
  readonly url: string
  /**
   * From now on nothing goes either way over the connections that there are, and none is closed: so it looks when the machine at the other
   * end has lost its power. Connections that are made later work.
   */
  silence(): void
  close(): Promise<void>
}

/** A TCP proxy between a process and its Postgres or Redis whose connections can be made to say nothing any more. */
export async function startSilentProxy(address: string): Promise<SilentProxy> {
  const target = new URL(address)
  const sockets = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true)
      from.on('data', (chunk) => void (silent.has(from) || to.write(chunk)))
      from.on('error', () => undefined)
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(address)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    silence() {
      for (const socket of sockets) silent.add(socket)
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

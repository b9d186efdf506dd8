import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Balancer {
  readonly port: number
  close(): Promise<void>
}

/**
 * One address for several servers, in turn. Connections to a killed server are lost, and a server that does
 * not listen is skipped, as a load balancer with health checks does.
 */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const sockets = new Set<Socket>()
  let turn = 0
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  }
  const server = createServer({ noDelay: true }, (client) => {
    keep(client)
    turn++
    const order = ports.map((_, index) => ports[(turn + index) % ports.length] ?? 0)
    const tryNext = () => {
      const port = order.shift()
      if (port === undefined || client.destroyed) return client.destroy()
      const upstream = connect({ port, host: '127.0.0.1', noDelay: true })
      keep(upstream)
      upstream.once('error', tryNext)
      upstream.once('connect', () => {
        upstream.off('error', tryNext)
        upstream.once('close', () => client.destroy())
        client.once('close', () => upstream.destroy())
        client.pipe(upstream)
        upstream.pipe(client)
      })
    }
    tryNext()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

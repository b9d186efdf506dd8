import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request as send } from 'node:http'
import { connect, type Socket } from 'node:net'

/**
 * A proxy before servers of this machine, where no other is installed: each call goes to the next server that
 * takes the connection. What a caller wrote into X-Forwarded-For is dropped.
 */
export async function startBalancer(options: {
  readonly port: number
  readonly servers: readonly number[]
}): Promise<{ stop: () => Promise<void> }> {
  let turn = 0
  const connectToOne = async (): Promise<Socket> => {
    const first = turn++ % options.servers.length
    const inTurn = [...options.servers.slice(first), ...options.servers.slice(0, first)]
    for (const port of inTurn) {
      const socket = connect(port, '127.0.0.1')
      const isThere = await once(socket, 'connect').catch(() => null)
      if (isThere) return socket
    }
    throw new Error('No server takes a connection')
  }
  const server = createServer(async (request, response) => {
    try {
      const socket = await connectToOne()
      const { method, url: path } = request
      const passed = send({ createConnection: () => socket, method, path, headers: headersFor(request) })
      passed.on('error', () => response.destroy())
      response.on('close', () => passed.destroy())
      passed.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, withoutConnection(answer.headers))
        answer.pipe(response)
      })
      request.pipe(passed)
    } catch {
      response.writeHead(502).end()
    }
  })
  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening')
  return {
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A connection is one call's, on this side. */
const withoutConnection = ({ connection: _own, ...headers }: IncomingHttpHeaders) => headers

function headersFor({ headers, socket }: IncomingMessage): IncomingHttpHeaders {
  const forwarded = { 'x-forwarded-for': socket.remoteAddress ?? '', 'x-forwarded-proto': 'http' }
  return { ...withoutConnection(headers), ...forwarded, connection: 'close' }
}

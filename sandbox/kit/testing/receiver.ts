import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Listens for webhooks. `take` gets each request and says with which status it is answered. */
export async function listenForWebhooks(
  take: (request: { headers: IncomingHttpHeaders; body: string }) => number | Promise<number>,
) {
  const waiting: (() => void)[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    response.writeHead(await take({ headers: request.headers, body })).end()
    for (const wake of waiting.splice(0)) wake()
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/webhook`,
    /** Resolves to what `look` finds, as soon as it finds something. */
    async until<Found>(look: () => Found | null): Promise<Found> {
      for (;;) {
        const found = look()
        if (found !== null) return found
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
    close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      return closed
    },
  }
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook, type WebhookEvent } from '@clerk/backend/webhooks'

export type Received = { id: string; event: WebhookEvent }

/** Receives webhooks and verifies each with the real library; statuses to answer with are taken from the front. */
export async function startReceiver({ secret, statuses = [] }: { secret: string; statuses?: number[] }) {
  const received: Received[] = []
  const waiting: (() => void)[] = []
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const request = new Request('http://receiver.test/', {
      method: 'POST',
      headers: Object.entries(req.headers).map(([name, value]): [string, string] => [name, String(value)]),
      body: Buffer.concat(chunks),
    })
    const event = await verifyWebhook(request, { signingSecret: secret }).catch(() => null)
    if (event) received.push({ id: String(req.headers['svix-id']), event })
    res.writeHead(event ? (statuses.shift() ?? 200) : 400).end()
    for (const resume of waiting.splice(0)) resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    /** Resolves to everything received once that satisfies the condition. */
    async until(isEnough: (received: Received[]) => boolean): Promise<Received[]> {
      while (!isEnough(received)) await new Promise<void>((resume) => waiting.push(resume))
      return received
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { verifyWebhook, type WebhookEvent } from '@clerk/backend/webhooks'

export type Received = { id: string; event: WebhookEvent }

type Options = {
  secret: string
  /** The status to answer with, by the event and by how often it has come so far, this time included. */
  answer?: (row: Received, times: number) => number
}

/** Receives webhooks and verifies each with the real library. */
export async function startReceiver({ secret, answer = () => 200 }: Options) {
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
    const row = event && { id: String(req.headers['svix-id']), event }
    if (row) received.push(row)
    res.writeHead(row ? answer(row, received.filter((other) => other.id === row.id).length) : 400).end()
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

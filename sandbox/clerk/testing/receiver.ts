import { verifyWebhook, type WebhookEvent } from '@clerk/backend/webhooks'
import { listenForWebhooks } from '../../kit/testing/receiver.ts'

export type Received = { id: string; event: WebhookEvent }

type Options = {
  secret: string
  /** The status to answer with, by the event and by how often it has arrived so far, including this time. */
  answer?: (row: Received, times: number) => number
}

/** Receives webhooks and verifies each with the real library. */
export async function startReceiver({ secret, answer = () => 200 }: Options) {
  const received: Received[] = []
  const { url, until, close } = await listenForWebhooks(async ({ headers, body }) => {
    const request = new Request('http://receiver.test/', {
      method: 'POST',
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      body,
    })
    const event = await verifyWebhook(request, { signingSecret: secret }).catch(() => null)
    if (!event) return 400
    const row = { id: String(headers['svix-id']), event }
    received.push(row)
    return answer(row, received.filter((other) => other.id === row.id).length)
  })
  return {
    url,
    received,
    /** Resolves to everything received once that satisfies the condition. */
    until: (isEnough: (received: Received[]) => boolean) =>
      until(() => (isEnough(received) ? received : null)),
    close,
  }
}

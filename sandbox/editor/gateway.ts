import { z } from 'zod'
import { Refusal, refusalOf } from './product.ts'
import type { AssistantRequest, Said } from './sessions.ts'

const failure = z.object({ error: z.looseObject({ message: z.string() }) })
const event = z.object({
  delta: z.object({ text: z.string().default('') }).optional(),
  usage: z.object({ cost: z.int() }).optional(),
})

/**
 * Asks a model in the form of Anthropic's streams, with the user's token. `answer` comes with the end of the
 * stream; with a `pause` the model waits for its end.
 */
export function gatewayAt(url: string) {
  return {
    async ask(token: string, { title, model, at_most }: AssistantRequest, pause?: string) {
      const response = await fetch(`${url}/v1/messages`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'x-description': `Chat: ${title}`,
          'x-project': 'tide',
          ...(pause && { 'x-sandbox-pause': pause }),
        },
        // Ten tokens of an answer cost a credit, and those of the question less than one.
        body: JSON.stringify({
          model,
          max_tokens: at_most * 10 - 10,
          stream: true,
          messages: [{ role: 'user', content: title }],
        }),
      }).catch(() => null)
      if (!response) throw new Refusal(0, `${url} does not answer.`)
      if (!response.ok) {
        const { data } = failure.safeParse(await response.json())
        if (response.status === 529) return { answer: Promise.resolve(notCharged) }
        throw refusalOf(response.status, data && { ...data.error, error: data.error.message }, url)
      }
      return { answer: response.text().then(saidIn, () => notCharged) }
    },
    async end(pause: string, how: 'go' | 'stop'): Promise<void> {
      await fetch(`${url}/_sandbox/paused/${pause}/${how}`, { method: 'POST' }).catch(() => undefined)
    },
  }
}

const notCharged: Omit<Said, 'title'> = {
  text: 'The model did not answer. Not charged: provider error',
  charged: 0,
}

function saidIn(stream: string): Omit<Said, 'title'> {
  const lines = stream.split('\n').filter((line) => line.startsWith('data: '))
  const events = lines.map((line) => event.parse(JSON.parse(line.slice(6))))
  const charged = events.findLast(({ usage }) => usage)?.usage?.cost
  if (charged === undefined) return notCharged
  const text = events.map(({ delta }) => delta?.text ?? '').join('')
  return { text: text || 'Stopped before the model answered.', charged }
}

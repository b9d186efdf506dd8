import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { bodyParser } from '@koa/bodyparser'
import { Router, type RouterContext } from '@koa/router'
import Koa from 'koa'
import { z } from 'zod'
import { Faults } from '../kit/http.ts'
import { Failure, meterAt, reserved, settled } from './meter.ts'
import { anthropic, openai, type Wire } from './wire.ts'

/** With `drop_after` the model fails when it has sent a part of its answer. */
const fault = {
  status: z.int().nullable().default(null),
  drop_after: z.boolean().default(false),
  count: z.int(),
}
const parts = z.array(z.object({ text: z.string() })).transform((all) => all.map(({ text }) => text).join(''))
const content = z.union([z.string(), parts])
const most = z.int().min(1).max(90_000).optional()
const requestBody = z.object({
  model: z.string().min(1).max(64),
  max_tokens: most,
  max_completion_tokens: most,
  stream: z.boolean().default(false),
  system: content.default(''),
  messages: z.array(z.object({ content })).min(1),
})

/** Made up, like the number of their tokens; any other prompt is repeated. */
const answers: Readonly<Record<string, readonly [number, string]>> = {
  'Explain this function': [
    119,
    'It keeps a tide level between the lowest and the highest mark of the harbor.',
  ],
  'Let an agent write tests': [599, 'Three tests: below the lowest mark, above the highest, and in between.'],
  'Rewrite the whole module': [3999, 'Done: 14 files changed, and the tests pass.'],
}
/** Charges the user of an editor's token for made-up answers, in the forms of two providers. */
export function createApp(product: Parameters<typeof meterAt>[0]): Koa {
  const meter = meterAt(product)
  const faults = new Faults()
  /** Ends the wait of a request that asked for one: `x-sandbox-pause: NAME`, or `NAME@2` after two words. */
  const paused = new Map<string, (how: string) => void>()
  const router = new Router()
  router.post('/v1/messages', (context) => serve(context, anthropic))
  router.post('/v1/chat/completions', (context) => serve(context, openai))
  router.all(['/_sandbox', '/_sandbox/faults'], (context) => {
    if (context.method === 'DELETE') faults.clear()
    if (context.method === 'POST')
      faults.add({ ...z.object(fault).parse(context.request.body), path_prefix: '/v1/' })
    context.body = { faults: faults.list() }
  })
  router.post('/_sandbox/paused/:name/:how', (context) => {
    paused.get(context.params.name ?? '')?.(context.params.how ?? '')
    context.status = 204
  })

  async function serve(context: RouterContext, wire: Wire): Promise<void> {
    try {
      await answer(context, wire)
    } catch (error) {
      const { status, message, details } = error instanceof Failure ? error : new Failure(500, String(error))
      const type = status < 500 ? 'invalid_request_error' : 'api_error'
      context.body = wire.failure({ type, ...details, message })
      context.status = status
      if (context.res.headersSent) context.res.end(`event: error\ndata: ${JSON.stringify(context.body)}\n\n`)
    }
  }

  async function answer(context: RouterContext, wire: Wire): Promise<void> {
    const { data, error } = requestBody.safeParse(context.request.body)
    const max_tokens = data?.max_completion_tokens ?? data?.max_tokens ?? wire.max_tokens
    if (!data || !max_tokens)
      throw new Failure(400, error ? z.prettifyError(error) : 'max_tokens: Field required')
    const { model, stream } = data
    const texts = [data.system, ...data.messages.map((message) => message.content)]
    const input = Math.ceil(texts.join('').length / 4)
    const prompt = texts.at(-1) ?? ''
    const [tokens, text] = answers[prompt] ?? [4 + Math.ceil(prompt.length / 4), `You have asked: ${prompt}`]
    const words = text.split(/(?<= )/)
    const header = (name: string) => context.get(name) || undefined
    const token = /^Bearer (\S+)$/.exec(context.get('authorization'))?.[1] ?? context.get('x-api-key')
    const reservation = {
      on_behalf_of: { token },
      tokens: { input, output: max_tokens },
      idempotency_key: randomUUID(),
      model,
      description: header('x-description'),
      project: header('x-project'),
    }
    const hold = `/${reserved.parse(await meter('', reservation)).hold.id}`
    const answered = { model, text: '', input, output: 0, cost: 0 }
    const failing = faults.hit(context)
    const closed = once(context.res, 'close').then(() => 'stop')
    const [name = '', at = '0'] = context.get('x-sandbox-pause').split('@')
    const write = (events: readonly object[]) => {
      for (const event of stream ? events : []) {
        context.res.write(
          `${'type' in event ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
        )
      }
    }
    let made = 0
    try {
      const status = model === 'sample-down' ? 529 : failing?.status
      if (status) throw new Failure(status, 'The model did not answer.')
      context.respond = !stream
      if (stream) context.res.writeHead(200, { 'content-type': 'text/event-stream' })
      write(wire.begin(answered))
      for (const word of words) {
        const isPaused = name !== '' && made === Number(at)
        const next = isPaused ? new Promise<string>((go) => paused.set(name, go)) : setImmediate('go')
        if ((await Promise.race([next, closed])) === 'stop') break
        if (failing && made > 0) throw new Failure(500, 'The model stopped answering.')
        write(wire.part({ ...answered, text: word }))
        made += 1
      }
    } catch (error) {
      await meter(`${hold}/settle`, { credits: 0, outcome: 'failed', reason: 'provider_error' })
      throw error
    } finally {
      paused.delete(name)
    }
    answered.text = words.slice(0, made).join('')
    answered.output = Math.ceil((Math.min(tokens, max_tokens) * made) / words.length)
    // Who leaves before the first word has asked the model all the same.
    const used = { input, output: answered.output }
    answered.cost = settled.parse(await meter(`${hold}/settle`, { tokens: used })).charged
    write(wire.end(answered))
    if (stream) context.res.end(wire.last)
    else context.body = wire.whole(answered)
  }

  const app = new Koa()
  app.use(bodyParser({ enableTypes: ['json'], jsonLimit: '4mb' }))
  app.use(router.routes())
  return app
}

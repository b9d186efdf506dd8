import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { getExtensionBalance } from '../../schema/api/extension.ts'
import { booksEndRight } from '../../tests/support/database/right-books.ts'
import { buildEditor } from '../../tests/support/factories/editors.ts'
import { buildOperatorKey } from '../../tests/support/factories/operator-keys.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { startGateway } from '../../tests/support/services/sandbox.ts'
import { waitUntil } from '../../tests/support/wait-until.ts'

const { database, server } = testProduct({
  clerk: 'trusting',
  server: { settings: { metered_by: 'gateway' } },
})
booksEndRight(database)

/** How many answers of the product's are lost before one arrives. */
let lost = 0
const lossy = madeOnce(
  async () => {
    const proxy = createServer((request, response) => {
      const body: Buffer[] = []
      request
        .on('data', (part: Buffer) => body.push(part))
        .on('end', async () => {
          const headers = {
            authorization: request.headers.authorization ?? '',
            'content-type': 'application/json',
          }
          const answer = await fetch(`${server.url}${request.url}`, {
            method: 'POST',
            headers,
            body: Buffer.concat(body),
          })
          const text = await answer.text()
          if (lost-- > 0) return request.socket.destroy()
          response.writeHead(answer.status).end(text)
        })
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => proxy.once('listening', resolve))
    return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, close: () => proxy.close() }
  },
  async ({ close }) => void close(),
)
const start = async (operatorKey: string) => startGateway({ appUrl: lossy.url, operatorKey })
const gateway = madeOnce(
  async () => start((await buildOperatorKey(database)).key),
  (started) => started.close(),
)
afterEach(async () => {
  lost = 0
  await fetch(`${gateway.url}/_sandbox/faults`, { method: 'DELETE' })
})

const person = (purchased = 500) => buildEditor(database, { purchased })
const ask = (
  token: string,
  fields: object = {},
  { path = '/v1/messages', url = gateway.url, headers = {}, signal = null as AbortSignal | null } = {},
) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    signal,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'sample-large',
      max_tokens: 190,
      messages: [{ role: 'user', content: 'Explain this function' }],
      ...fields,
    }),
  })
const balanceOf = async (token: string) => {
  const { available, held } = await server.ask(getExtensionBalance, { token })
  return { available, held }
}
const knob = (body: object) =>
  fetch(`${gateway.url}/_sandbox/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const resume = (name: string, how: string) =>
  fetch(`${gateway.url}/_sandbox/paused/${name}/${how}`, { method: 'POST' })
/** Reads a stream until so many words have arrived. */
async function readWords({ body }: Response, count: number): Promise<void> {
  let text = ''
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  while (text.split('content_block_delta"').length <= count) text += (await reader?.read())?.value ?? ''
}
const answer = 'It keeps a tide level between the lowest and the highest mark of the harbor.'

describe('an answer of the gateway', () => {
  test.each([
    [
      '/v1/messages',
      { content: [{ type: 'text', text: answer }], usage: { input_tokens: 6, output_tokens: 119, cost: 12 } },
    ],
    [
      '/v1/chat/completions',
      {
        choices: [{ message: { content: answer } }],
        usage: { prompt_tokens: 6, completion_tokens: 119, total_tokens: 125, cost: 12 },
      },
    ],
  ])('an answer of %s costs its user what was produced', async (path, body) => {
    const { token } = await person()
    const response = await ask(token, {}, { path })
    expect([response.status, await response.json()]).toMatchObject([200, body])
    expect(await balanceOf(token)).toEqual({ available: 488, held: 0 })
  })

  test('the most that a request may cost is reserved while it runs', async () => {
    const { token } = await person()
    const running = await ask(token, { stream: true }, { headers: { 'x-sandbox-pause': 'runs' } })
    expect(await balanceOf(token)).toEqual({ available: 480, held: 20 })
    await resume('runs', 'go')
    await running.text()
    expect(await balanceOf(token)).toEqual({ available: 488, held: 0 })
  })

  test('max_tokens ends an answer, and caps what it costs', async () => {
    const { token } = await person()
    expect(await (await ask(token, { max_tokens: 20 })).json()).toMatchObject({
      usage: { output_tokens: 20, cost: 2 },
    })
  })

  test('calls of the meter whose answers are lost are made again, and charge once', async () => {
    const { token } = await person()
    lost = 2
    expect((await ask(token)).status).toBe(200)
    expect(await balanceOf(token)).toEqual({ available: 488, held: 0 })
  })
})

describe('a request that ends early', () => {
  test.each([
    ['a provider that is overloaded', { status: 529, count: 1 }, {}, 529],
    ['a provider that fails when it has sent a part', { drop_after: true, count: 1 }, {}, 500],
    ['a model that is down', null, { model: 'sample-down' }, 529],
  ])('%s costs nothing, and is in the history as a failure', async (_, fault, fields, status) => {
    const { token, user_id } = await person()
    if (fault) await knob(fault)
    const response = await ask(token, fields)
    expect([response.status, await response.json()]).toMatchObject([
      status,
      { type: 'error', error: { type: 'api_error' } },
    ])
    expect(await balanceOf(token)).toEqual({ available: 500, held: 0 })
    const failures = await database.rows('ledger_failures', { owner_id: user_id })
    expect(failures).toMatchObject([{ failure: 'provider_error', operator_key_id: expect.any(String) }])
  })

  test.each([
    // 106 tokens of a prompt cost 2.12 credits, and 56 of an answer 5.6.
    ['before the first word', 'x', 498],
    ['after seven of fifteen words', 'x@7', 493],
  ])('a client that goes away %s pays for the prompt and what was produced', async (_, pause, available) => {
    const { token } = await person()
    const going = new AbortController()
    const name = pause.replace('x', randomUUID())
    const response = await ask(
      token,
      { stream: true, system: 'x'.repeat(400) },
      { headers: { 'x-sandbox-pause': name }, signal: going.signal },
    )
    expect(response.status).toBe(200)
    await readWords(response, Number(pause.split('@')[1] ?? 0))
    going.abort()
    await waitUntil(async () => (await balanceOf(token)).held === 0, 'the end of the hold')
    expect(await balanceOf(token)).toEqual({ available, held: 0 })
  })
})

describe('a request that is not served', () => {
  test('a user who has too little is told what would help, in the form of either provider', async () => {
    const { token } = await person(10)
    for (const path of ['/v1/messages', '/v1/chat/completions']) {
      const response = await ask(token, {}, { path })
      expect([response.status, await response.json()]).toMatchObject([
        402,
        {
          error: {
            code: 'insufficient_credits',
            message: expect.stringContaining('Not enough credits.'),
            buy_url: expect.any(String),
            other_payers: [],
          },
        },
      ])
    }
  })

  test('a gateway whose key was revoked serves no request, and does not tell its users to sign in', async () => {
    const wrong = await start('tideop_unknown')
    const { token } = await person()
    expect((await ask(token, {}, { url: wrong.url })).status).toBe(500)
    await wrong.close()
  })

  test('a gateway whose meter is away asks no model', async () => {
    const { token } = await person()
    lost = 5
    expect((await ask(token)).status).toBe(503)
  })
})

/** What was answered, the tokens that were read and written, and the credits that were charged. */
type Answered = Record<'model' | 'text', string> & Record<'input' | 'output' | 'cost', number>

/** How a provider answers: with a whole, or with events that have a beginning, parts and an end. */
export type Wire = Record<'begin' | 'part' | 'end', (all: Answered) => object[]> & {
  readonly whole: (all: Answered) => object
  readonly failure: (error: object) => object
  readonly max_tokens?: number
  readonly last?: string
}

/** https://platform.claude.com/docs/en/api/messages, https://platform.claude.com/docs/en/build-with-claude/streaming */
export const anthropic: Wire = {
  whole: (all) => messageOf(all, { stop_reason: 'end_turn', content: [{ type: 'text', text: all.text }] }),
  begin: (all) => [
    { type: 'message_start', message: messageOf(all, { stop_reason: null, content: [] }) },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ],
  part: ({ text }) => [{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }],
  end: (all) => [
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: messageOf(all, {}).usage },
    { type: 'message_stop' },
  ],
  failure: (error) => ({ type: 'error', error }),
}

function messageOf({ model, input, output, cost }: Answered, more: object) {
  const usage = { input_tokens: input, output_tokens: output, cost }
  return { id: 'msg_sandbox', type: 'message', role: 'assistant', model, stop_sequence: null, usage, ...more }
}

/** https://platform.openai.com/docs/api-reference/chat, https://platform.openai.com/docs/api-reference/chat-streaming */
export const openai: Wire = {
  whole: (all) => {
    const message = { role: 'assistant', content: all.text }
    return {
      ...completionOf(all, { message, finish_reason: 'stop' }),
      object: 'chat.completion',
      usage: usageOf(all),
    }
  },
  begin: (all) => [completionOf(all, { delta: { role: 'assistant', content: '' } })],
  part: (all) => [completionOf(all, { delta: { content: all.text } })],
  end: (all) => [
    completionOf(all, { delta: {}, finish_reason: 'stop' }),
    { ...completionOf(all, {}), choices: [], usage: usageOf(all) },
  ],
  failure: (error) => ({ error }),
  max_tokens: 1000,
  last: 'data: [DONE]\n\n',
}

function completionOf({ model }: Answered, choice: object) {
  const choices = [{ index: 0, finish_reason: null, ...choice }]
  return { id: 'chatcmpl-sandbox', object: 'chat.completion.chunk', created: 0, model, choices }
}

function usageOf({ input, output, cost }: Answered) {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output, cost }
}

export interface AssistantRequest {
  readonly title: string
  readonly model: string
  /** The most that it may cost, which is reserved before it is made. */
  readonly at_most: number
  readonly credits: number
  /** Null for a request whose model fails. */
  readonly reply: string | null
  /** It runs until the user ends it; the others have their reply at once. */
  readonly is_long?: true
}

/** What a user can ask of the sample assistant. The replies are made up; what they cost is charged. */
export const requests = {
  explain: {
    title: 'Explain this function',
    model: 'sample-small',
    at_most: 20,
    credits: 12,
    reply: 'It keeps a tide level between the lowest and the highest mark of the harbor.',
  },
  tests: {
    title: 'Let an agent write tests',
    model: 'sample-large',
    at_most: 75,
    credits: 60,
    reply: 'Three tests: below the lowest mark, above the highest, and in between.',
    is_long: true,
  },
  rewrite: {
    title: 'Rewrite the whole module',
    model: 'sample-large',
    at_most: 420,
    credits: 400,
    reply: 'Done: 14 files changed, and the tests pass.',
  },
  broken: {
    title: 'Ask a model that is down',
    model: 'sample-down',
    at_most: 20,
    credits: 0,
    reply: null,
  },
} as const satisfies Readonly<Record<string, AssistantRequest>>
export type RequestName = keyof typeof requests

export function requestOf(name: string): AssistantRequest | null {
  return Object.hasOwn(requests, name) ? requests[name as RequestName] : null
}

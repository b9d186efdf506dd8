export interface AssistantRequest {
  readonly title: string
  readonly credits: number
  readonly reply: string
}

/** What a user can ask of the sample assistant. The replies are made up; what they cost is charged. */
export const requests = {
  explain: {
    title: 'Explain this function',
    credits: 12,
    reply: 'It keeps a tide level between the lowest and the highest mark of the harbor.',
  },
  tests: {
    title: 'Write tests for it',
    credits: 60,
    reply: 'Three tests: below the lowest mark, above the highest, and in between.',
  },
  rewrite: {
    title: 'Rewrite the whole module',
    credits: 400,
    reply: 'Done: 14 files changed, and the tests pass.',
  },
} as const satisfies Readonly<Record<string, AssistantRequest>>
export type RequestName = keyof typeof requests

export function isRequest(name: unknown): name is RequestName {
  return typeof name === 'string' && Object.hasOwn(requests, name)
}

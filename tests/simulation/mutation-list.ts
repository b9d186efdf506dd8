export interface Mutation {
  readonly name: string
  readonly file: string
  /** Exactly once in the file. */
  readonly text: string
  readonly becomes: string
  /** The test file that has to find it; `owners` unless told. */
  readonly test?: 'owners' | 'purchases'
}

/** Faults that the product has had, or that would be easy to make. */
export const mutations: readonly Mutation[] = [
  {
    name: 'no cap on the wait between sweeps',
    file: 'schema/sweep/claim-due.ts',
    text: 'const longestWaitMs = 3600 * 1000',
    becomes: 'const longestWaitMs = 1e15',
  },
]

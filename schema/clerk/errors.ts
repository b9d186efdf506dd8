/** Clerk did not answer, or not usefully: nobody knows whether what was asked for has happened. */
export class ClerkUnavailableError extends Error {
  override readonly name = 'ClerkUnavailableError'
}

/** Clerk answered no, and nothing has changed there. `code` is Clerk's own, e.g. `duplicate_record`. */
export class ClerkRefusalError extends Error {
  override readonly name = 'ClerkRefusalError'
  readonly code: string
  constructor(code: string, options: { cause: unknown }) {
    super(`Clerk refused: ${code}`, options)
    this.code = code
  }
}

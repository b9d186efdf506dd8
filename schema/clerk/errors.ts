/** Clerk did not answer, or not usefully, so nobody knows whether it did what it was asked to do. */
export class ClerkUnavailableError extends Error {
  override readonly name = 'ClerkUnavailableError'
}

/** Clerk refused, and nothing has changed there. `code` is Clerk's own, e.g. `duplicate_record`. */
export class ClerkRefusalError extends Error {
  override readonly name = 'ClerkRefusalError'
  readonly code: string
  constructor(code: string, options: { cause: unknown }) {
    super(`Clerk refused: ${code}`, options)
    this.code = code
  }
}

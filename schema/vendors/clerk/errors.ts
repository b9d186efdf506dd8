/** Clerk did not answer, or its answer was unusable, so it is unknown whether the request was carried out. */
export class ClerkUnavailableError extends Error {
  override readonly name = 'ClerkUnavailableError'
}

/** Clerk asks us to come back later; nothing was carried out. */
export class ClerkRateLimitError extends ClerkUnavailableError {
  readonly retry_after_ms: number
  constructor(message: string, { retry_after_ms, ...options }: { retry_after_ms: number; cause: unknown }) {
    super(message, options)
    this.retry_after_ms = retry_after_ms
  }
}

/** Clerk refused, and nothing has changed at Clerk. `code` is Clerk's own, e.g. `duplicate_record`. */
export class ClerkRefusalError extends Error {
  override readonly name = 'ClerkRefusalError'
  readonly code: string
  constructor(code: string, options: { cause: unknown }) {
    super(`Clerk refused: ${code}`, options)
    this.code = code
  }
}

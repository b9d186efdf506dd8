interface FailureDetails {
  /** HTTP status; 0 when there was no response at all. */
  status: number
  /** The server's code, or one of our own: `unreachable`, `unexpected_answer`, `no_error_body`. */
  code: string
  /** The server's text for the user; `null` when it sent none. */
  text: string | null
  fields?: readonly { path: string; message: string }[]
  requestId?: string | null
  /** Clerk's word for a person who has to confirm that it is them. */
  clerk_error?: unknown
  cause?: unknown
}

/** The only error that a call throws, apart from an abort. */
export class ApiFailure extends Error {
  readonly status: number
  readonly code: string
  readonly text: string | null
  readonly fields: readonly { path: string; message: string }[]
  readonly requestId: string | null
  readonly clerk_error: unknown

  constructor(details: FailureDetails) {
    super(`${details.status} ${details.code}${details.text ? `: ${details.text}` : ''}`, {
      cause: details.cause,
    })
    this.name = 'ApiFailure'
    this.status = details.status
    this.code = details.code
    this.text = details.text
    this.fields = details.fields ?? []
    this.requestId = details.requestId ?? null
    this.clerk_error = details.clerk_error
  }

  /** True when the same request would only fail again, so that retrying is pointless. */
  get final(): boolean {
    return (this.status >= 400 && this.status < 500) || this.code === 'unexpected_answer'
  }
}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiFailure && error.status === status
}

export function hasCode(error: unknown, code: string): error is ApiFailure {
  return error instanceof ApiFailure && error.code === code
}

export interface FailureNotice {
  text: string
  reference: string | null
  /** What to do about it, where the failure itself says so. */
  advice?: string
}

const offlineAdvice = 'We could not be reached. Please check your connection.'

/** What to tell the user: the server's own text if it sent one, otherwise the screen's default text. */
export function failureNotice(error: unknown, defaultText: string): FailureNotice {
  if (!(error instanceof ApiFailure)) return { text: defaultText, reference: null }
  return {
    text: error.text || defaultText,
    reference: error.requestId,
    ...(error.code === 'unreachable' && { advice: offlineAdvice }),
  }
}

export function failureText(error: unknown, defaultText: string): string {
  return failureNotice(error, defaultText).text
}

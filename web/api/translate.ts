import { ApiFailure } from './failure.ts'

export interface FailureNotice {
  text: string
  /** What support can look the failure up by. */
  reference: string | null
}

/** Puts a failure in words: the server's own text when it sent one, else what the screen says by default. */
export function failureNotice(error: unknown, defaultText: string): FailureNotice {
  if (!(error instanceof ApiFailure)) return { text: defaultText, reference: null }
  return { text: error.text || defaultText, reference: error.requestId }
}

export function failureText(error: unknown, defaultText: string): string {
  return failureNotice(error, defaultText).text
}

import { ApiFailure, failureText } from '../../api/failure.ts'

/** The texts for failed calls of the editor's sign-in. The server's own text comes first. */
export const editorFailures = {
  initiate: (error: unknown) =>
    isUnreachable(error)
      ? 'Network error or server issue during authentication initiation.'
      : failureText(error, 'Failed to initiate authentication flow.'),

  callback: (error: unknown) => `Authentication failed: ${callbackReason(error)}`,

  alternative: (error: unknown) =>
    isUnreachable(error)
      ? 'Failed to complete authentication. Please try again.'
      : failureText(error, 'Authentication failed'),
} as const

function callbackReason(error: unknown): string {
  if (error instanceof ApiFailure) {
    const unsaid =
      error.code === 'unexpected_answer' ? 'Authentication failed' : 'Failed to update authentication code.'
    return error.text || unsaid
  }
  return error instanceof Error && error.message ? error.message : 'Unknown error'
}

function isUnreachable(error: unknown): boolean {
  return !(error instanceof ApiFailure) || error.code === 'unreachable'
}

/** Whether the same sign-in may succeed when it is tried again, perhaps after its user has done something. */
export function mayHelp(error: unknown): boolean {
  const helps = ['sign_in_unconfirmed', 'too_many_editors', 'payer_not_found']
  return !(error instanceof ApiFailure && error.final) || helps.includes(error.code)
}

export function hasCode(error: unknown, code: 'too_many_editors' | 'payer_not_found'): boolean {
  return error instanceof ApiFailure && error.code === code
}

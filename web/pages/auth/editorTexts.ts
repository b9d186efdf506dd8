import { destinationOf, type Editors } from '../../../schema/api/redirect-uri.ts'
import { ApiFailure, failureText } from '../../api/failure.ts'

/** The texts of an editor's sign-in by where it ends. They say VSCode as long as the editor is not known. */
export function editorTexts(redirect_uri: string, editors: Editors) {
  const destination = destinationOf(redirect_uri, editors)
  const isOther = destination && !destination.name.startsWith('Visual Studio Code')
  const name = !isOther ? 'VSCode' : destination.extension === null ? null : destination.name
  return {
    title: `${name ?? 'Editor'} Extension Authentication`,
    connect: `Sign in to connect your ${name ?? 'editor'} extension`,
    initiating: `Initiating ${name ?? 'editor'} authentication...`,
    signInFirst: `You must be signed in to complete ${name ?? 'editor'} authentication. Redirecting to sign-in...`,
    redirecting: `Redirecting to ${name ?? 'your editor'}...`,
  }
}

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

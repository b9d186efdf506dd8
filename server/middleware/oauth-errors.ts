import { unsupportedGrantType } from '../../schema/api/extension-auth.ts'
import type { AppMiddleware } from '../context.ts'
import { ServerError } from '../errors.ts'

/**
 * Gives the failures of an OAuth call the fields that its clients read (RFC 6749, section 5.2). `error` is a code there, so
 * the sentence for people is in `error_description` and `message`; our other fields stay.
 */
export const oauthErrors: AppMiddleware = async (ctx, next) => {
  ctx.set('pragma', 'no-cache')
  try {
    await next()
  } catch (error) {
    // A server error has no code there: clients go by its status.
    if (!(error instanceof ServerError) || error.status >= 500) throw error
    const { status, code, message, fields, retry_after_s, cause } = error
    throw new ServerError(status, code, message, {
      ...(fields && { fields }),
      ...(retry_after_s !== undefined && { retry_after_s }),
      ...(cause !== undefined && { cause }),
      details: { error: oauthCode(error), error_description: describable(message) },
    })
  }
}

function oauthCode({ status, code, message }: ServerError): string {
  if (code === 'invalid_grant') return code
  if (message === unsupportedGrantType) return 'unsupported_grant_type'
  return status === 429 ? 'temporarily_unavailable' : 'invalid_request'
}

/** The characters that error_description may have. */
function describable(text: string): string {
  return text.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'")
}

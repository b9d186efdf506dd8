export type ClerkErrorItem = {
  code: string
  message: string
  long_message: string
  meta?: Record<string, unknown>
}

/** An error in the format that both APIs share. `param_name` shows the text at its form field. */
export class ClerkError extends Error {
  readonly status: number
  readonly errors: ClerkErrorItem[]
  readonly retryAfterS: number | undefined

  constructor(
    status: number,
    item: { code: string; message: string; long_message?: string; meta?: Record<string, unknown> },
    { retryAfterS }: { retryAfterS?: number } = {},
  ) {
    super(item.message)
    this.status = status
    this.retryAfterS = retryAfterS
    this.errors = [{ long_message: item.message, ...item }]
  }
}

export function fieldError(paramName: string, code: string, message: string): ClerkError {
  return new ClerkError(422, { code, message, meta: { param_name: paramName } })
}

export function notFound(what: string): ClerkError {
  return new ClerkError(404, { code: 'resource_not_found', message: `${what} not found` })
}

export function signedOut(): ClerkError {
  return new ClerkError(401, { code: 'authentication_invalid', message: 'You are signed out' })
}

export function invalidSecretKey(): ClerkError {
  return new ClerkError(401, {
    code: 'clerk_key_invalid',
    message: 'The provided Clerk Secret Key is invalid. Make sure that your Clerk Secret Key is correct.',
  })
}

export function missingPermission(): ClerkError {
  return new ClerkError(403, {
    code: 'missing_permission',
    message: 'You do not have the permission that this action needs.',
  })
}

export function incorrectCode(): ClerkError {
  return fieldError('code', 'form_code_incorrect', 'Incorrect code')
}

export function incorrectPassword(paramName = 'password'): ClerkError {
  return fieldError(
    paramName,
    'form_password_incorrect',
    'Password is incorrect. Try again, or use another method.',
  )
}

export function takenEmailAddress(): ClerkError {
  return fieldError(
    'email_address',
    'form_identifier_exists',
    'That email address is taken. Please try another.',
  )
}

/** Every call about organizations while they are not enabled in the dashboard. */
export function organizationsNotEnabled(): ClerkError {
  return new ClerkError(403, {
    code: 'organization_not_enabled_in_instance',
    message: 'access denied',
    long_message: 'The organizations feature is not enabled for this instance.',
  })
}

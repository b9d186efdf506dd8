import * as z from 'zod/mini'

/** Text without spaces, an at sign, a part with a dot. Whether it exists is unknown. */
const simplePattern = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/
const maximumLength = 254

export const invalidTeamEmailText = 'Please enter a valid email address'

/** Whether an invitation can be sent to this address. */
function isTeamEmail(text: string): boolean {
  const trimmed = text.trim()
  return trimmed.length <= maximumLength && simplePattern.test(trimmed)
}

/** An address as typed; trimmed and in lower case, so that one person has one address. */
export const teamEmailSchema = z
  .pipe(
    z.unknown().check(
      z.superRefine((value, context) => {
        if (typeof value !== 'string' || !isTeamEmail(value)) {
          context.addIssue({ code: 'custom', message: invalidTeamEmailText })
        }
      }),
    ),
    z.transform((value) => (value as string).trim().toLowerCase()),
  )
  .check(z.meta({ type: 'string', format: 'email', maxLength: maximumLength }))

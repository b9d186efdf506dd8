import { z } from 'zod'

/** Non-space text, an at sign, a dot part. Whether anybody reads mail there only the mail can tell. */
const simplePattern = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const maximumLength = 254

export const invalidTeamEmailText = 'Please enter a valid email address'

/** Whether somebody can be invited under this text. */
function isTeamEmail(text: string): boolean {
  const trimmed = text.trim()
  return trimmed.length <= maximumLength && simplePattern.test(trimmed)
}

/** An address as people type it; comes out trimmed and in lower case, because upper and lower case mean the same person. */
export const teamEmailSchema = z
  .unknown()
  .superRefine((value, context) => {
    if (typeof value !== 'string' || !isTeamEmail(value)) {
      context.addIssue({ code: 'custom', message: invalidTeamEmailText })
    }
  })
  .transform((value) => (value as string).trim().toLowerCase())
  .meta({ type: 'string', format: 'email', maxLength: maximumLength })

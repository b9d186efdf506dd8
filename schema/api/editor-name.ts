import * as z from 'zod/mini'

const longest = 64

/**
 * The name that an editor gives itself, as it is shown and stored: one line that hides and reverses nothing;
 * null when nothing is left. It is cleaned and cut, not refused, because a sign-in must not fail for the name
 * of the user's machine.
 */
export function editorNameOf(text: string): string | null {
  const line = text.replace(/\s+/gu, ' ').replace(/\p{C}/gu, '').trim()
  return [...line].slice(0, longest).join('').trim() || null
}

/** Who signs in says it, so it is not verified. */
export const editorNameSchema = z.nullish(
  z.pipe(z.string().check(z.maxLength(1000)), z.transform(editorNameOf)),
)

/** The least a state must be worth: one of 128 bits cannot be found by trying. */
const leastBits = 128
const shortest = 22
const longest = 512

/**
 * Says why a text may not be the state of a sign-in; `null` when it may. A state of the alternative page is
 * all that protects it, and we see only the text, so we count what its alphabet can hold: 22 characters of
 * base64url, 32 of hex (a UUID without its dashes), 39 digits.
 */
export function stateProblem(state: string): string | null {
  if (state.length > longest) return 'state is too long'
  if (!/^[\w.~-]*$/.test(state)) return 'state may hold letters, digits and - . _ ~ only'
  const isLong = state.length >= shortest && bitsOf(state) >= leastBits
  // A random state has more different characters than this, with one exception in a billion.
  const isVaried = new Set(state.replaceAll('-', '')).size >= 6
  return isLong && isVaried
    ? null
    : `state must hold at least ${leastBits} random bits. See docs/extension.md, "Generate the secrets".`
}

/** Dashes separate the groups of a UUID; in base64url they are ordinary characters. */
function bitsOf(state: string): number {
  const digits = state.replaceAll('-', '')
  if (/^\d*$/.test(digits)) return digits.length * Math.log2(10)
  if (/^[\da-f]*$/i.test(digits)) return digits.length * 4
  return state.length * 6
}

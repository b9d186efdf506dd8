/**
 * Something that no retry mends: the event contradicts what we promised. It is kept as failed for a person to look at, and
 * nothing is granted.
 */
export class PermanentError extends Error {
  override readonly name = 'PermanentError'
}

/** Something that another process has not written yet; a retry a moment later finds it. */
export class NotYetError extends Error {
  override readonly name = 'NotYetError'
}

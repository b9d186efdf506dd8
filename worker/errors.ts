/**
 * Something that no retry can fix: the event contradicts the terms. The event is kept as failed for a
 * person to examine, and nothing is granted.
 */
export class PermanentError extends Error {
  override readonly name = 'PermanentError'
}

/** Something that another process has not committed yet; a retry a moment later will find it. */
export class NotYetError extends Error {
  override readonly name = 'NotYetError'
}

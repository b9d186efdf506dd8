import { type Failure, failureOf } from '../schema/api/failures.ts'

/** An expected failure, whose message is what its row keeps: see `failureOf`. */
export abstract class CodedError extends Error {
  constructor(...[code, figures, options]: [...Failure, options?: ErrorOptions]) {
    super(failureOf(...([code, figures] as Failure)), options)
  }
}

/**
 * Something that no retry can fix: the event contradicts the terms. The event is kept as failed for a
 * person to examine, and nothing is granted.
 */
export class PermanentError extends CodedError {
  override readonly name = 'PermanentError'
}

/** Something that another process has not committed yet; a retry a moment later will find it. */
export class NotYetError extends CodedError {
  override readonly name = 'NotYetError'
}

/**
 * SQLSTATEs of a database that cannot work right now: connection failures (08), insufficient resources (53),
 * shutdown and start-up (57P), errors of its disks (58), a standby that takes no writes (25006), a
 * transaction that Postgres gave up because it heard nothing of us (25P03), and what is over at the next try:
 * a deadlock and a serialization failure, should they come through `retryConflicts`.
 */
const unavailableStates = /^(08...|53...|57P0.|58...|25006|25P03|40P01|40001)$/

/** What the socket says. */
const socketErrors =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/

/**
 * What the driver says, which gives its own errors no code: the connection could not be made, was cut (also
 * by us, when it gave no answer), or was cut before (then every further query says "not queryable", also the
 * ROLLBACK, whose error hides the first one).
 */
const driverErrors =
  /timeout exceeded when trying to connect|connection timeout|Connection terminated|not queryable/i

/** Whether the database, not the statement, is what failed: the same may succeed in a moment. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable)
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return unavailableStates.test(code) || socketErrors.test(code) || driverErrors.test(error.message)
}

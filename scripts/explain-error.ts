/** The messages of an error and its causes; a refused connection is an AggregateError without a message. */
export function explainError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause
  const message = error.message || error.name
  return inner === undefined ? message : `${message}: ${explainError(inner)}`
}

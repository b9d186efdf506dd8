class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError'
}

/**
 * Waits no longer than `limit_ms`. The work itself continues, and its result is dropped: use it only where
 * that does no harm.
 */
export async function withTimeLimit<T>(
  work: Promise<T>,
  limit: { readonly limit_ms: number; readonly what: string },
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new TimeLimitError(`${limit.what} took longer than ${limit.limit_ms} ms`)),
      limit.limit_ms,
    )
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** What was started until an error is stopped before the error is thrown. */
export async function wholeOrNothing<T>(start: (running: AsyncDisposableStack) => Promise<T>): Promise<T> {
  const running = new AsyncDisposableStack()
  try {
    return await start(running)
  } catch (error) {
    await running.disposeAsync()
    throw error
  }
}

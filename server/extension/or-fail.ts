import { ServerError } from '../errors.ts'

/** Runs the work; what it did not mean to say itself becomes the failure that the product has a text for. */
export async function orFail<T>(
  failure: (cause: unknown) => ServerError,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ServerError ? error : failure(error)
  }
}

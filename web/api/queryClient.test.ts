import { describe, expect, it } from 'vitest'
import { ApiFailure } from './failure.ts'
import { retryDelayMs, shouldRetry } from './queryClient.ts'

const failure = (status: number, code = 'x') => new ApiFailure({ status, code, text: null })

describe('shouldRetry', () => {
  it.each([400, 401, 402, 403, 404, 409, 422, 429])(
    'the query client never retries a request that was answered with %i',
    (status) => {
      expect(shouldRetry(0, failure(status))).toBe(false)
    },
  )

  it.each([0, 500, 502, 503])(
    'retries one that was answered with %i three times, then gives up',
    (status) => {
      expect([0, 1, 2, 3].map((failures) => shouldRetry(failures, failure(status)))).toEqual([
        true,
        true,
        true,
        false,
      ])
    },
  )

  it('shouldRetry does not retry when the answer has the wrong shape', () => {
    expect(shouldRetry(0, failure(200, 'unexpected_answer'))).toBe(false)
  })
})

describe('retryDelayMs', () => {
  it('doubles from a second and never exceeds thirty', () => {
    expect([0, 1, 2, 3, 4, 5, 20].map(retryDelayMs)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
  })
})

import { describe, expect, it } from 'vitest'
import { ApiFailure, failureNotice } from './failure.ts'

describe('failureNotice', () => {
  it('failureNotice prefers the server’s text and gives the request id', () => {
    const failure = new ApiFailure({
      status: 500,
      code: 'internal',
      text: 'The books are closed',
      requestId: 'req_2',
    })
    expect(failureNotice(failure, 'Default')).toEqual({ text: 'The books are closed', reference: 'req_2' })
  })

  it('failureNotice says what to do when nothing answered at all', () => {
    const failure = new ApiFailure({ status: 0, code: 'unreachable', text: null })
    expect(failureNotice(failure, 'Failed to load')).toMatchObject({
      text: 'Failed to load',
      advice: 'We could not be reached. Please check your connection.',
    })
  })

  it.each([
    new ApiFailure({ status: 502, code: 'no_error_body', text: null }),
    new ApiFailure({ status: 500, code: 'internal', text: '' }),
    new TypeError('x is not a function'),
    'nonsense',
    undefined,
  ])('failureNotice uses the default text when the server sent none: %s', (error) => {
    expect(failureNotice(error, 'Default')).toEqual({ text: 'Default', reference: null })
  })
})

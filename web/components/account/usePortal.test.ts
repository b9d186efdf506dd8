import { expect, test } from 'vitest'
import { ApiFailure } from '../../api/failure.ts'
import { portalFailure } from './usePortal.ts'

const failure = (status: number, text: string | null) => new ApiFailure({ status, code: 'x', text })

test('a portal that does not open says so, and whether it helps to try again', () => {
  expect(portalFailure(failure(502, 'Failed to create customer portal session'))).toEqual({
    title: 'Billing Portal Error',
    text: 'Failed to access billing portal. Please try again.',
  })
  for (const error of [failure(502, null), failure(0, null), new TypeError('x is not a function')]) {
    expect(portalFailure(error)).toEqual({
      title: 'Billing Portal Error',
      text: 'An unexpected error occurred. Please try again later.',
    })
  }
})

test('a user whose session has ended is asked to sign in', () => {
  expect(portalFailure(failure(401, 'User not authenticated'))).toEqual({
    title: 'Authentication Required',
    text: 'Please sign in to access billing information',
  })
})

import { expect, test } from 'vitest'
import { ApiFailure } from '../../api/failure.ts'
import { portalFailure } from './PortalButton.tsx'

const failure = (status: number, text: string | null, code = 'x') => new ApiFailure({ status, code, text })

test('a portal that does not open says so, and whether it helps to try again', () => {
  expect(portalFailure(failure(502, 'Failed to create customer portal session', 'portal_failed'))).toEqual({
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

test('a portal that the server refuses is told in the server’s words', () => {
  expect(portalFailure(failure(429, 'Too many requests. Please wait.'))).toEqual({
    title: 'Billing Portal Error',
    text: 'Too many requests. Please wait.',
  })
})

test('a user whose session has ended is asked to sign in', () => {
  expect(portalFailure(failure(401, 'User not authenticated'))).toEqual({
    title: 'Authentication Required',
    text: 'Please sign in to access billing information',
  })
})

import { describe, expect, test } from 'vitest'
import { ApiFailure } from '../../api/failure.ts'
import { type CreditsPayer, purchaseFailureText } from './useCreditPurchase.ts'

const dashboard: CreditsPayer = { kind: 'user', id: 'user_1', from: 'dashboard' }
const billing: CreditsPayer = { kind: 'user', id: 'user_1', from: 'billing' }
const organization: CreditsPayer = { kind: 'organization', id: 'org_1' }
const failure = (code: string, text: string | null = null) => new ApiFailure({ status: 503, code, text })

describe('a purchase that did not begin', () => {
  test.each([
    [dashboard, 'Failed to process credit addition'],
    [billing, 'Failed to create top-up session'],
    [organization, 'Failed to create top-up session'],
  ])('the notice of a failed purchase on %o says what failed', (payer, text) => {
    expect(purchaseFailureText(failure('no_error_body'), payer)).toBe(text)
    expect(purchaseFailureText(new TypeError('x is not a function'), payer)).toBe(text)
  })

  test('the notice of a failed purchase contains the server’s text', () => {
    expect(purchaseFailureText(failure('checkout_failed', 'Please wait.'), dashboard)).toBe('Please wait.')
  })

  test('the notice of a purchase without a billing address says so', () => {
    expect(purchaseFailureText(failure('unexpected_answer'), billing)).toBe('No checkout URL received')
  })
})

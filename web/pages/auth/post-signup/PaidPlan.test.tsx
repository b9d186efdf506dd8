import { renderToString } from 'react-dom/server'
import { createMemoryRouter, RouterProvider } from 'react-router-dom'
import { describe, expect, it } from 'vitest'
import { ApiFailure, failureNotice } from '../../../api/failure.ts'
import { SetupView } from './PaidPlan.tsx'

function render(error: unknown, defaultText: string): string {
  const element = (
    <SetupView state="error" notice={failureNotice(error, defaultText)} onRetry={() => undefined} />
  )
  return renderToString(<RouterProvider router={createMemoryRouter([{ path: '/', element }])} />)
}

describe('an account that could not be set up', () => {
  it.each([
    'Failed to initialize user',
    'Failed to create checkout session',
    'Failed to process starter plan signup',
  ])('the page says what failed, that nothing was charged, and what to do: %s', (defaultText) => {
    const html = render(new ApiFailure({ status: 502, code: 'no_error_body', text: null }), defaultText)
    for (const text of [
      'Something went wrong',
      'We encountered an error while setting up your account.',
      defaultText,
      'You have not been charged.',
      'Try Again',
      'Go to Dashboard',
    ]) {
      expect(html).toContain(text)
    }
  })

  it('the page prefers the server’s text, with the reference for support', () => {
    const refusal = {
      status: 502,
      code: 'checkout_failed',
      text: 'No checkout URL received',
      requestId: 'req_7',
    }
    const html = render(new ApiFailure(refusal), 'Failed to create checkout session')
    expect(html).toContain('No checkout URL received')
    expect(html).toContain('req_7')
    expect(html).not.toContain('Failed to create checkout session')
  })

  it('the page says that we could not be reached', () => {
    const unreachable = new ApiFailure({ status: 0, code: 'unreachable', text: null })
    expect(render(unreachable, 'Failed to initialize user')).toContain('Please check your connection.')
  })
})

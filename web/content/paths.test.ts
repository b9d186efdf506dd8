import { expect, test } from 'vitest'
import { isPage } from './paths.ts'

test.each([
  '/',
  '/pricing',
  '/pricing/',
  '/dashboard',
  '/Dashboard',
  '/sign-in',
  '/sign-in/factor-one',
  '/sign-up/verify-email-address',
  '/invite/org_1/inv_1',
  '/support/trace',
])('there is a page at %s', (path) => {
  expect(isPage(path)).toBe(true)
})

test.each(['/nowhere', '/dashboard/x', '/invite', '/invite/org_1/', '/sign-inn', '/support/x'])(
  'there is no page at %s',
  (path) => {
    expect(isPage(path)).toBe(false)
  },
)

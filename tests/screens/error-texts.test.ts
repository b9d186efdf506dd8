import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../../scripts/launch/script.ts'

/** What the product says when something fails, and when it worked; each is reached by a test in a browser. */
const texts = {
  checkout: ['Failed to create checkout session', 'No checkout URL received'],
  payment: ['Failed to process payment', 'Failed to verify payment status'],
  starter: ['Failed to process starter signup', 'Failed to process starter plan signup'],
  account: ['Failed to initialize user'],
  portal: [
    'Billing Portal Error',
    'Failed to access billing portal. Please try again.',
    'An unexpected error occurred. Please try again later.',
  ],
  anywhere: [
    'An unexpected error occurred',
    'Something went wrong',
    'We encountered an error while setting up your account.',
    'Unexpected Application Error!',
    'Something went wrong with the authentication system. Please try refreshing the page or contact support if the problem persists.',
  ],
  dashboard: [
    'Database Error',
    'Initialization Error',
    'User Creation Failed',
    'Authentication Error',
    'User not authenticated',
    'Token Generation Failed',
    'No access token in response',
    'Failed to generate long-lived token',
    'Revocation Failed',
    'Failed to revoke token',
    'Failed to process credit addition',
    'Authentication Required',
    'Please sign in to access billing information',
    'Data Loaded',
    'Account Created',
    'Token Generated',
    'Token Revoked',
  ],
  credits: [
    'Failed to create top-up session',
    'Verification Error',
    'Could not verify payment status, but your credits should be added shortly.',
  ],
  organization: [
    'Failed to load billing information',
    'Failed to load organization credits',
    'Failed to load seat information',
    'Failed to create subscription',
    'Subscription creation failed:',
    'Failed to open billing portal',
    'Failed to assign seat',
    'Failed to revoke seat',
    'Invalid Amount',
    'Cannot Send Invitation',
    'Seat Assigned!',
    'Seat assigned',
    'Seat revoked',
  ],
  invitations: [
    'Failed to load invitations',
    'Failed to send invitation',
    'Failed to revoke invitation',
    'Failed to store invitation in database',
    'Failed to update invitation status in database',
    'Organization not initialized',
    'Invitation not found in database',
    'Invitation sent to',
    'has been revoked',
    'Invitation link copied to clipboard',
  ],
  extension: [
    'Failed to initiate authentication flow.',
    'Network error or server issue during authentication initiation.',
    'You must be signed in to complete VSCode authentication. Redirecting to sign-in...',
    'Authentication failed: Failed to update authentication code.',
    'Authentication failed: Authentication failed',
    'Failed to complete authentication',
    'Authentication failed',
    'Failed to complete authentication. Please try again.',
  ],
}

/** Texts that no browser test can reach, and the tests that reach them. */
const elsewhere: readonly { text: string; test: string; why: string }[] = [
  {
    text: 'Unknown error occurred',
    test: 'web/pages/errors/screens.test.tsx',
    why: 'A page would have to throw something without a message, and none does.',
  },
  {
    text: 'Unknown error',
    test: 'web/pages/auth/editorTexts.test.ts',
    why: 'Every call fails with an error of ours, which has a text.',
  },
  {
    text: 'Failed to create customer portal session',
    test: 'server/routes/organizations.billing.test.ts',
    why: 'The page says "Failed to access billing portal. Please try again." in its place; this is for who calls the API.',
  },
]

const specs: string[] = []
for await (const file of glob('tests/e2e/*.spec.ts', { cwd: repositoryRoot })) {
  specs.push(await readFile(join(repositoryRoot, file), 'utf8'))
}

const expectation = /toContainText|getByText|heading|hasText:|name:/

test.each(Object.values(texts).flat())('a test in a browser reaches: %s', (text) => {
  const isReached = specs.some((spec) => {
    const lines = spec.split('\n')
    return lines.some(
      (line, number) => line.includes(text) && expectation.test(`${lines[number - 1]} ${line}`),
    )
  })
  expect(isReached).toBe(true)
})

test.each(elsewhere)('the text $text is reached by $test', async ({ text, test: file }) => {
  expect((await readFile(join(repositoryRoot, file), 'utf8')).includes(text)).toBe(true)
})

import { expect, it, test } from 'vitest'
import { ApiFailure } from '../../api/failure.ts'
import { usernameOf } from './EditorConsent.tsx'
import { editorFailures, editorTexts, mayHelp } from './editorTexts.ts'

const editors = {
  vscode: 'Visual Studio Code',
  'vscode-insiders': 'Visual Studio Code Insiders',
  vscodium: 'VSCodium',
  cursor: 'Cursor',
  windsurf: 'Windsurf',
}

test.each(['vscode://tidemark.tidemark/auth', 'vscode-insiders://tidemark.tidemark/auth', 'nonsense'])(
  'the texts for %s say VSCode',
  (address) => {
    expect(editorTexts(address, editors)).toEqual({
      title: 'VSCode Extension Authentication',
      connect: 'Sign in to connect your VSCode extension',
      initiating: 'Initiating VSCode authentication...',
      signInFirst: 'You must be signed in to complete VSCode authentication. Redirecting to sign-in...',
      redirecting: 'Redirecting to VSCode...',
    })
  },
)

test.each([
  ['cursor://tidemark.tidemark/auth', 'Redirecting to Cursor...'],
  ['windsurf://tidemark.tidemark/auth', 'Redirecting to Windsurf...'],
  ['vscodium://tidemark.tidemark/auth', 'Redirecting to VSCodium...'],
  ['http://127.0.0.1:4000/callback', 'Redirecting to your editor...'],
])('the texts for %s name no other editor', (address, redirecting) => {
  const texts = editorTexts(address, editors)
  expect(texts.redirecting).toBe(redirecting)
  expect(Object.values(texts).join()).not.toContain('VSCode ')
})

const refused = new ApiFailure({ status: 410, code: 'sign_in_expired', text: 'This sign-in has expired.' })
const wordless = new ApiFailure({ status: 502, code: 'no_error_body', text: null })
const unreadable = new ApiFailure({ status: 200, code: 'unexpected_answer', text: null })
const unreachable = new ApiFailure({ status: 0, code: 'unreachable', text: null })

it.each([
  ['initiate', refused, 'This sign-in has expired.'],
  ['initiate', wordless, 'Failed to initiate authentication flow.'],
  ['initiate', unreachable, 'Network error or server issue during authentication initiation.'],
  ['callback', refused, 'Authentication failed: This sign-in has expired.'],
  ['callback', wordless, 'Authentication failed: Failed to update authentication code.'],
  ['callback', unreachable, 'Authentication failed: Failed to update authentication code.'],
  ['callback', unreadable, 'Authentication failed: Authentication failed'],
  ['callback', new Error('The clock stopped'), 'Authentication failed: The clock stopped'],
  ['callback', undefined, 'Authentication failed: Unknown error'],
  ['alternative', refused, 'This sign-in has expired.'],
  ['alternative', wordless, 'Authentication failed'],
  ['alternative', unreachable, 'Failed to complete authentication. Please try again.'],
] as const)('%s, %s: %s', (page, error, text) => {
  expect(editorFailures[page](error)).toBe(text)
})

it('a failure offers another try only where it can help', () => {
  expect(mayHelp(refused)).toBe(false)
  expect(mayHelp(wordless)).toBe(true)
  expect(mayHelp(unreachable)).toBe(true)
  expect(mayHelp(new ApiFailure({ status: 409, code: 'sign_in_unconfirmed', text: 'Too long' }))).toBe(true)
  expect(mayHelp(new ApiFailure({ status: 409, code: 'too_many_editors', text: 'Ten' }))).toBe(true)
})

const primaryEmailAddress = { emailAddress: 'ada.l@tidemark.test' }

it.each([
  [{ username: 'ada', firstName: 'Ada', primaryEmailAddress }, 'ada'],
  [{ username: null, firstName: 'Ada', primaryEmailAddress }, 'Ada'],
  [{ username: '', firstName: '', primaryEmailAddress }, 'ada.l'],
  [{ username: null, firstName: null, primaryEmailAddress: null }, ''],
])('%j is called %j', (user, name) => {
  expect(usernameOf(user)).toBe(name)
})

import { expect, it } from 'vitest'
import { usernameOf } from './EditorConsent.tsx'

const primaryEmailAddress = { emailAddress: 'ada.l@tidemark.test' }

it.each([
  [{ username: 'ada', firstName: 'Ada', primaryEmailAddress }, 'ada'],
  [{ username: null, firstName: 'Ada', primaryEmailAddress }, 'Ada'],
  [{ username: '', firstName: '', primaryEmailAddress }, 'ada.l'],
  [{ username: null, firstName: null, primaryEmailAddress: null }, ''],
])('%j is called %j', (user, name) => {
  expect(usernameOf(user)).toBe(name)
})

import { expect, test } from 'vitest'
import { stateProblem } from './state.ts'

const randomBytes = (count: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(count)))

test.each([
  ['base64url', () => randomBytes(16).toString('base64url')],
  ['hex', () => randomBytes(16).toString('hex')],
  ['hex in capitals', () => randomBytes(16).toString('hex').toUpperCase()],
  ['a UUID', () => crypto.randomUUID()],
  ['much more than that', () => randomBytes(300).toString('base64url')],
])('a state of 128 bits or more is accepted, as %s', (_, make) => {
  for (let count = 0; count < 200; count++) expect(stateProblem(make())).toBeNull()
})

test.each([
  ['nothing', ''],
  ['a word', 'state'],
  ['21 characters', 'Zk3bQ9xTfM2LwVr7PdYcs'],
  ['31 hex digits', '0123456789abcdef0123456789abcde'],
  ['38 decimal digits', '01234567890123456789012345678901234567'],
  ['one character over and over', 'a'.repeat(64)],
  ['five characters over and over', 'zyxwv'.repeat(20)],
  ['dashes', '-'.repeat(64)],
  ['a space', 'Zk3bQ9xTfM2LwVr7 PdYcsNn'],
  ['a line break', 'Zk3bQ9xTfM2LwVr7PdYcsNn\n'],
  ['an ampersand', 'Zk3bQ9xTfM2LwVr7PdYcsNn&code=1'],
  ['too long', randomBytes(400).toString('base64url')],
])('a state that is %s is refused', (_, state) => {
  expect(stateProblem(state)).toEqual(expect.any(String))
})

import { expect, test } from 'vitest'
import { profileOf } from './events.ts'

const event = (data: object) => ({
  object: 'event' as const,
  type: 'user.updated',
  data: {
    id: 'user_1',
    first_name: null,
    last_name: null,
    primary_email_address_id: null,
    email_addresses: [],
    updated_at: 1_700_000_000_000,
    ...data,
  },
})

test('a person whom Clerk has no e-mail address of has a profile all the same', () => {
  expect(profileOf(event({}))).toEqual({
    clerk_id: 'user_1',
    email: '',
    first_name: null,
    last_name: null,
    profile_updated_at: new Date(1_700_000_000_000),
  })
})

test('the primary address is the profile’s, or the first when none is, or when the addresses have no ids', () => {
  const email_addresses = [
    { id: 'idn_1', email_address: 'first@tidemark.test' },
    { id: 'idn_2', email_address: 'second@tidemark.test' },
  ]
  const primary = { primary_email_address_id: 'idn_2', email_addresses }
  expect(profileOf(event(primary)).email).toBe('second@tidemark.test')
  expect(profileOf(event({ email_addresses })).email).toBe('first@tidemark.test')
  const nameless = email_addresses.map(({ email_address }) => ({ email_address }))
  expect(profileOf(event({ ...primary, email_addresses: nameless })).email).toBe('first@tidemark.test')
})

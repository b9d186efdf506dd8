import { expect, test } from 'vitest'
import { ownOrigins } from './settings.ts'

test('in development all names of the loopback address are one origin', () => {
  expect(ownOrigins('http://localhost:3000/', { production: false })).toEqual([
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
  ])
})

test('in production there is exactly one origin', () => {
  expect(ownOrigins('http://localhost:3000', { production: true })).toEqual(['http://localhost:3000'])
  expect(ownOrigins('https://app.example/', { production: true })).toEqual(['https://app.example'])
})

test('a host name that is not loopback has no other names', () => {
  expect(ownOrigins('https://preview.example', { production: false })).toEqual(['https://preview.example'])
})

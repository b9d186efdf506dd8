import { expect, test } from 'vitest'
import { ownOrigins } from './origins.ts'

test('all names of the loopback address are one origin in development', () => {
  expect(ownOrigins('http://localhost:3000/', { production: false })).toEqual([
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
  ])
})

test('exactly one origin is allowed in production', () => {
  expect(ownOrigins('http://localhost:3000', { production: true })).toEqual(['http://localhost:3000'])
  expect(ownOrigins('https://app.example/', { production: true })).toEqual(['https://app.example'])
})

test('a host name that is not loopback has no other names', () => {
  expect(ownOrigins('https://preview.example', { production: false })).toEqual(['https://preview.example'])
})

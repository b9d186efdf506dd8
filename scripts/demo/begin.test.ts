import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { madeForEachTest } from '../../tests/support/made.ts'
import { decideDemo } from './begin.ts'

const folder = madeForEachTest(
  () => ({ path: mkdtempSync(join(tmpdir(), 'tidemark-demo-')) }),
  ({ path }) => rmSync(path, { recursive: true }),
)
const decide = (wanted = true, env: Record<string, string> = {}) => decideDemo(folder.path, { env, wanted })
const add = (name: string) => writeFileSync(join(folder.path, name), 'the user’s own')

test('the demo is played in a new folder, and not again when it is over', () => {
  const { isPlayed, startsOver, end } = decide()
  expect({ isPlayed, startsOver }).toEqual({ isPlayed: true, startsOver: false })
  end()
  expect(decide()).toMatchObject({ isPlayed: false, startsOver: false })
})

test('a demo that was interrupted starts over, and its state files are gone', () => {
  decide()
  add('sandbox-stripe.db')
  add('sandbox-clerk.db')
  mkdirSync(join(folder.path, 'postgres'))
  expect(decide()).toMatchObject({ isPlayed: true, startsOver: true })
  expect(readdirSync(folder.path).toSorted()).toEqual(['demo.json', 'postgres'])
})

test('what an interrupted demo left goes also when no demo is wanted any more', () => {
  decide()
  const { isPlayed, startsOver, end } = decide(false)
  expect({ isPlayed, startsOver }).toEqual({ isPlayed: false, startsOver: true })
  end()
  expect(decide(false)).toMatchObject({ startsOver: false })
})

test.each(['postgres', 'sandbox-stripe.db', 'sandbox-clerk.db'])(
  'no demo is played beside %s of an earlier start, and nothing is removed',
  (name) => {
    add(name)
    expect(decide()).toMatchObject({ isPlayed: false, startsOver: false })
    expect(readdirSync(folder.path)).toEqual([name])
  },
)

test.each([
  { DATABASE_URL: 'postgres://db.example.com/tidemark' },
  { REDIS_URL: 'redis://cache.example.com' },
  { STRIPE_SECRET_KEY: 'sk_test_own' },
  { CLERK_SECRET_KEY: 'sk_test_own' },
  { NODE_ENV: 'production' },
])('no demo is played with %o, and one that was interrupted stays as it is', (env) => {
  expect(decide(true, env)).toMatchObject({ isPlayed: false })
  decide()
  add('sandbox-clerk.db')
  expect(decide(true, env)).toMatchObject({ isPlayed: false, startsOver: false })
  expect(readdirSync(folder.path).toSorted()).toEqual(['demo.json', 'sandbox-clerk.db'])
})

test('a start that asks for no demo plays none', () => {
  expect(decide(false)).toMatchObject({ isPlayed: false, startsOver: false })
})

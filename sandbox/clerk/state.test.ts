import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openState } from './state.ts'

test('a state file of before the journal keeps its people, its signing key and its undelivered events', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-clerk-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'state.json')
  const event = { id: 'msg_1', type: 'user.created', payload: { type: 'user.created' }, created_at: 1 }
  const delivery = { attempts: 2, next_attempt_at: 5, last_status: 500, last_error: null }
  await writeFile(
    path,
    JSON.stringify({
      version: 1,
      signing_key: { kid: 'ins_1', private_key_pem: 'pem' },
      rows: {
        users: [{ id: 'user_1' }],
        events: [{ ...event, ...delivery, status: 'pending', deliveries_wanted: 1 }],
      },
    }),
  )

  openState(path).close()
  const state = openState(path)

  expect(state.users.get('user_1')).toEqual({ id: 'user_1' })
  expect(state.signing_keys.get('signing_key')).toMatchObject({ kid: 'ins_1', private_key_pem: 'pem' })
  expect(state.events.get('msg_1')).toEqual(event)
  expect([...state.deliveries.oldestFirst()]).toMatchObject([
    {
      event: 'msg_1',
      endpoint: 'configured',
      state: 'pending',
      attempts: 2,
      next_attempt_at_ms: 5,
      last_status: 500,
    },
  ])
  state.close()
})

test('a file that is none of its own is left alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-clerk-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'state.json')
  await writeFile(path, 'a letter')
  expect(() => openState(path)).toThrow(`${path} is not a state file of sandbox/clerk; move it away.`)
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openState } from './state.ts'

test('a file that is none of its own is left alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-clerk-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'state.json')
  await writeFile(path, 'a letter')
  expect(() => openState(path)).toThrow(`${path} is not a state file of sandbox/clerk; move it away.`)
})

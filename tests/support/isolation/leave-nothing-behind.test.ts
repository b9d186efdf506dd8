import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../../../scripts/launch/script.ts'

/** Runs both files as `npm test` does, each in its own worker, and returns the output. */
async function runFixtures(): Promise<string> {
  const config = join(repositoryRoot, 'tests/support/isolation/fixtures/vitest.config.ts')
  const args = [join(repositoryRoot, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config]
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1' }
  return promisify(execFile)(process.execPath, args, { env, cwd: repositoryRoot }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  )
}

test('a file that leaves something behind fails and is told what; one that gives it back passes', async () => {
  const printed = await runFixtures()
  expect(printed).toContain('Tests  2 passed (2)')
  expect(printed).toContain('Test Files  1 failed | 1 passed (2)')
  expect(printed).toMatch(/FAIL .*leaks\.fixture\.ts/)
  for (const left of [
    'process.env.LEFT_BEHIND was changed',
    'The working folder is /, and was ',
    'globalThis.setTimeout was replaced',
    'globalThis.Date was replaced',
    'globalThis.fetch was replaced',
    '1 more listen to the process’s event SIGUSR2',
  ]) {
    expect(printed).toContain(left)
  }
})

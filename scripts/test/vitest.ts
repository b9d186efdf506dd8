import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PartInput, runCommand } from './command.ts'
import type { TestCounts } from './summary.ts'

/** Runs some of the projects of vitest.config.ts and reads what the summary reporter wrote. */
export async function runVitest(
  input: PartInput & { readonly projects: readonly string[] },
): Promise<TestCounts> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-test-'))
  const summary = join(folder, 'summary.json')
  try {
    const projects = input.projects.flatMap((project) => ['--project', project])
    const { ok } = await runCommand({
      args: ['node_modules/vitest/vitest.mjs', 'run', ...projects, ...input.rest],
      env: { ...input.env, TEST_SUMMARY_FILE: summary },
      output: 'shown',
    })
    const counts = JSON.parse(await readFile(summary, 'utf8')) as TestCounts
    return !ok && counts.failed === 0 ? { ...counts, failed: 1 } : counts
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

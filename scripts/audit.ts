import { spawn } from 'node:child_process'
import { z } from 'zod'
import { repositoryRoot } from './launch/script.ts'

/** A check must not hang where no registry answers. */
const limit_ms = 20_000

/** Without it the source did not answer. */
const reportSchema = z.object({ vulnerabilities: z.record(z.string(), z.object({ severity: z.string() })) })

/**
 * Judges the report of `npm audit --omit=dev --json`, which may be empty. High and critical vulnerabilities
 * fail; others are listed. A source that does not answer is reported and fails nothing.
 */
export function judgeAudit(report: string): { readonly text: string; readonly isBad: boolean } {
  const { data } = reportSchema.safeParse(JSON.parse(report || 'null'))
  if (!data)
    return { text: 'vulnerabilities: not looked up, because no audit source answers here', isBad: false }
  const found = Object.entries(data.vulnerabilities).map(([name, { severity }]) => ({ name, severity }))
  const isBad = found.some(({ severity }) => severity === 'high' || severity === 'critical')
  const names = found.map(({ name, severity }) => `\n  ${severity}: ${name}`)
  return { text: `vulnerabilities in what runs in production:${names.join('') || ' none known'}`, isBad }
}

/** The first part of `npm run check`: known vulnerabilities in what runs in production. */
if (import.meta.main) {
  const verdict = judgeAudit(await runNpmAudit())
  console.log(verdict.text)
  process.exitCode = verdict.isBad ? 1 : 0
}

async function runNpmAudit(): Promise<string> {
  const child = spawn(
    'npm',
    ['audit', '--json', '--omit=dev', '--fetch-retries=0', `--fetch-timeout=${limit_ms}`],
    {
      cwd: repositoryRoot,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: limit_ms,
      shell: process.platform === 'win32',
    },
  )
  child.on('error', () => undefined)
  let output = ''
  for await (const text of child.stdout.setEncoding('utf8')) output += text
  return output
}

import { spawn } from 'node:child_process'
import { repositoryRoot } from './launch/script.ts'
import { judgeAudit } from './test/judge-audit.ts'

/** A check must not hang where no registry answers. */
const limit_ms = 20_000

/** `npm run audit`, the last part of `npm run check`: known vulnerabilities in what runs in production. */
const verdict = judgeAudit(await runNpmAudit())
console.log(verdict.text)
process.exitCode = verdict.isBad ? 1 : 0

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

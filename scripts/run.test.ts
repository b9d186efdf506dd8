import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { repositoryRoot } from './launch/script.ts'

function run(program: string, ...args: string[]) {
  return spawn(process.execPath, ['scripts/run.mjs', 'node', '-e', program, ...args], {
    cwd: repositoryRoot,
    stdio: 'pipe',
  })
}

test('an npm script gets its arguments and input on the pinned node, and ends with the exit code of its program', async () => {
  const child = run(
    `process.stdin.on('data', (input) => console.log(process.argv[1], String(input), process.versions.node))
     process.stdin.on('end', () => { process.exitCode = 7 })`,
    'two words',
  )
  child.stdin.end('typed')
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(output).toMatch(/^two words typed 24\./)
  expect(code).toBe(7)
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a program that stops by itself at %s is waited for',
  async (signal) => {
    const child = run(
      `process.on('${signal}', () => setTimeout(() => { console.log('stopped'); process.exit(3) }, 100))
     setInterval(() => {}, 1000)
     console.log('started')`,
    )
    const lines: string[] = []
    child.stdout.setEncoding('utf8').on('data', (line: string) => {
      lines.push(line.trim())
      if (line.trim() === 'started') child.kill(signal)
    })
    const [code] = await once(child, 'close')
    expect(lines).toEqual(['started', 'stopped'])
    expect(code).toBe(3)
  },
)

import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createOutput } from './output.ts'

function capture(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream
  const output = createOutput(stream)
  return { output, read: () => String(stream.read() ?? '') }
}

test('every line of a process is one JSON object that names it when there is no terminal', () => {
  const { output, read } = capture(false)
  output.line('server', '{"level":30,"msg":"listening"}')
  output.line('worker', 'Warning: plain words "quoted"')
  output.line('worker', '{}')
  const lines = read().trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { process: 'server', level: 30, msg: 'listening' },
    { process: 'worker', msg: 'Warning: plain words "quoted"' },
    { process: 'worker', msg: '{}' },
  ])
})

test('the message is readable and the process is named on a terminal', () => {
  const { output, read } = capture(true)
  output.line('server', '{"level":30,"time":0,"pid":1,"hostname":"h","msg":"listening"}')
  const line = read()
  expect(line).toMatch(/^server .*INFO.*listening/)
  expect(line).not.toContain('hostname')
})

test('a message of the launcher is printed unchanged, so that a script can wait for it', () => {
  const { output, read } = capture(false)
  output.say('ready on http://localhost:3000')
  expect(read()).toBe('ready on http://localhost:3000\n')
})

import { expect, test } from 'vitest'
import { createLogger } from './log.ts'

function logged(write: (log: ReturnType<typeof createLogger>) => void): Record<string, unknown> {
  const lines: string[] = []
  write(
    createLogger({ process: 'server', level: 'info', destination: { write: (line) => lines.push(line) } }),
  )
  return JSON.parse(lines.join(''))
}

test('an error is logged with its message, code and cause, and without what a library hangs on it', () => {
  const error = Object.assign(new Error('Away', { cause: new Error('Refused') }), {
    code: '57P01',
    client: { connectionParameters: { password: 'hunter2' } },
  })
  const line = logged((log) => log.warn({ err: error }, 'A connection was lost'))
  expect(line.err).toMatchObject({ type: 'Error', message: expect.stringContaining('Away'), code: '57P01' })
  expect(JSON.stringify(line)).toContain('Refused')
  expect(JSON.stringify(line)).not.toContain('hunter2')
})

test('an error is logged without the e-mail addresses that it quotes, its causes neither', () => {
  const cause = new Error('Invalid email address: ada.lovelace+pay@tidemark.test')
  const line = logged((log) =>
    log.warn({ err: new Error('<ada@tidemark.test> is taken', { cause }) }, 'Refused'),
  )
  expect(line.err).toMatchObject({
    message: '<[address]> is taken: Invalid email address: [address]',
    stack: expect.stringContaining('Invalid email address: [address]'),
  })
  expect(JSON.stringify(line)).not.toContain('tidemark.test')
})

test('credentials that ride along are removed, and what is beside them stays', () => {
  const line = logged((log) => log.info({ req: { headers: { authorization: 'Bearer abc' } } }, 'Request'))
  expect(JSON.stringify(line)).not.toContain('abc')
  const secrets = { cookie: 'abc', access_token: 'abc', code_verifier: 'abc' }
  const other = logged((log) => log.info({ ...secrets, of: { ...secrets, event_id: 'evt_1' } }, 'Token'))
  const removed = { cookie: '[removed]', access_token: '[removed]', code_verifier: '[removed]' }
  expect(other).toMatchObject({ ...removed, of: { ...removed, event_id: 'evt_1' } })
})

test('credentials are removed from lists and from objects without a prototype, and what refers to itself ends', () => {
  const query = Object.assign(Object.create(null) as Record<string, unknown>, {
    access_token: 'abc',
    page: 2,
  })
  const circle: Record<string, unknown> = { event_id: 'evt_1' }
  circle.of = [circle]
  const line = logged((log) => log.info({ calls: [{ cookie: 'abc' }, [query]], circle }, 'Calls'))
  expect(line.calls).toEqual([{ cookie: '[removed]' }, [{ access_token: '[removed]', page: 2 }]])
  expect(JSON.stringify(line.circle)).toMatch(/^\{"event_id":"evt_1","of":.*\[too deep\]/)
})

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { isLong } from '../../tests/support/long.ts'
import { repositoryRoot } from '../launch/script.ts'
import { judgeAudit } from './judge-audit.ts'

const report = (severity: string) =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: {
      koa: { name: 'koa', severity, via: [{ title: 'Open redirect', url: 'https://example.com/1' }] },
      'koa-send': { name: 'koa-send', severity: 'low', via: ['koa'] },
    },
  })

test.each(['high', 'critical'])(
  'a %s vulnerability in what runs in production fails the check, with its name',
  (severity) => {
    expect(judgeAudit(report(severity))).toEqual({
      isBad: true,
      text: `vulnerabilities in what runs in production:
  ${severity}: koa: Open redirect (https://example.com/1)
  low: koa-send: through koa`,
    })
  },
)

test('lesser ones are listed and fail nothing', () => {
  expect(judgeAudit(report('moderate'))).toMatchObject({
    isBad: false,
    text: expect.stringContaining('moderate: koa'),
  })
  expect(judgeAudit('{"vulnerabilities":{}}')).toMatchObject({
    isBad: false,
    text: expect.stringContaining('none known'),
  })
})

const notLookedUp = 'vulnerabilities: not looked up, because no audit source answers here'

test.each([
  ['nothing', ''],
  ['an error', '{"message":"request to http://127.0.0.1:1/ failed","error":{"summary":"","detail":""}}'],
])('the check says so and goes on when the source answers with %s', (_, output) => {
  expect(judgeAudit(output)).toEqual({ isBad: false, text: notLookedUp })
})

// npm takes half a minute to give up.
if (isLong) {
  test('the check ends well when no source answers', { timeout: 10 * 60_000 }, async () => {
    const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:1/' }
    const audit = promisify(execFile)(process.execPath, [join(repositoryRoot, 'scripts/audit.ts')], { env })
    expect((await audit).stdout).toBe(`${notLookedUp}\n`)
  })
}

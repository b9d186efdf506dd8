import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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

test('the check says so and goes on when no source answers', async () => {
  const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:1/' }
  const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(process.execPath, [join(repositoryRoot, 'scripts/audit.ts')], { env }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, output: stdout }),
    )
  })
  expect(output).toBe('vulnerabilities: not looked up, because no audit source answers here\n')
  expect(code).toBe(0)
})

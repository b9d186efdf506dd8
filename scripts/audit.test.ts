import { expect, test } from 'vitest'
import { judgeAudit } from './audit.ts'

const report = (severity: string) =>
  JSON.stringify({ vulnerabilities: { koa: { severity }, 'koa-send': { severity: 'low' } } })

test.each([
  ['critical', report('critical'), true, 'critical: koa\n  low: koa-send'],
  ['high', report('high'), true, 'high: koa'],
  ['moderate', report('moderate'), false, 'moderate: koa'],
  ['no', '{"vulnerabilities":{}}', false, 'none known'],
])(
  '%s vulnerabilities in what runs in production are listed, and fail from high on',
  (_, output, isBad, text) => {
    expect(judgeAudit(output)).toEqual({ isBad, text: expect.stringContaining(text) })
  },
)

test.each(['', '{"message":"request to http://127.0.0.1:1/ failed","error":{"summary":"","detail":""}}'])(
  'the check says so and goes on when the source answers with "%s"',
  (output) => {
    expect(judgeAudit(output)).toMatchObject({ isBad: false, text: expect.stringContaining('not looked up') })
  },
)

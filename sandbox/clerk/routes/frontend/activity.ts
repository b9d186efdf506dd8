import type { ParameterizedContext } from 'koa'
import { createId } from '../../entities/id.ts'
import type { SessionActivity } from '../../entities/session.ts'

// Most browsers call themselves by their ancestors' names too, so the order decides.
const BROWSERS = [
  ['Edge', /Edg\/([\d.]+)/],
  ['Opera', /OPR\/([\d.]+)/],
  ['Firefox', /Firefox\/([\d.]+)/],
  ['Chrome', /Chrome\/([\d.]+)/],
  ['Safari', /Version\/([\d.]+).*Safari/],
] as const

const DEVICES = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['Macintosh', /Macintosh/],
  ['Windows', /Windows/],
  ['Linux', /Linux|X11/],
] as const

/** What the list of signed-in devices tells of this one. */
export function activityOf(ctx: ParameterizedContext): SessionActivity {
  const agent = ctx.get('user-agent')
  const browser = BROWSERS.map(([name, pattern]) => ({ name, version: pattern.exec(agent)?.[1] })).find(
    (row) => row.version,
  )
  return {
    id: createId('sess_activity'),
    device_type: DEVICES.find(([, pattern]) => pattern.test(agent))?.[0] ?? 'Unknown device',
    browser_name: browser?.name ?? 'Unknown browser',
    browser_version: browser?.version ?? '',
    is_mobile: /Mobile|Android|iPhone/.test(agent),
    ip_address: ctx.ip.replace(/^::ffff:/, ''),
  }
}

import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { createTransport } from 'nodemailer'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { defaultBrand } from '../../schema/catalogue/brand.ts'
import { tell } from '../../schema/mails/mails.ts'
import { ensureUser } from '../../schema/people/users/users.ts'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { createTestDependencies } from '../../tests/support/product/test-worker.ts'
import { sendMails } from './send-mails.ts'

const database = testDatabase()
const received: string[] = []
/** What the server answers to a recipient. */
let refusal: number | null = null
const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onRcptTo: (_address, _session, callback) =>
    callback(refusal ? Object.assign(new Error('No'), { responseCode: refusal }) : undefined),
  onData: (stream, _session, callback) =>
    void text(stream).then((mail) => {
      received.push(mail)
      callback()
    }),
})
await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
const { port } = smtp.server.address() as AddressInfo
afterAll(() => new Promise<void>((resolve) => smtp.close(resolve)))
beforeEach(async () => {
  received.length = 0
  refusal = null
  await database.owner.deleteFrom('mails').execute()
})

const start = Date.now()
const run = (minutes = 0, { name = 'Tidemark', at = port } = {}) =>
  sendMails(
    createTestDependencies(database, {
      now: () => new Date(start + minutes * 60_000),
      mailer: { transport: createTransport(`smtp://127.0.0.1:${at}`), brand: { ...defaultBrand, name } },
    }),
  )
const newsOf = (owner_id: string, occasion = '2026-11-20') =>
  tell(database.worker, { kind: 'balance_low', owner_id, occasion, figures: { left: 99 } })
const mails = () => database.owner.selectFrom('mails').selectAll().execute()
/** Without the encoding of long lines (RFC 2045, section 6.7). */
const decoded = (mail = '') =>
  mail
    .replaceAll('=\r\n', '')
    .replaceAll(/=([\dA-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
const headersOf = (mail = '') => mail.split('\r\n\r\n')[0]?.replaceAll(/\r\n\s+/g, ' ') ?? ''

test('a mail has a text, a page and a link that unsubscribes by one click, and is sent once, or after a crash with the same Message-ID', async () => {
  const user_id = await buildUser(database.server)
  await newsOf(user_id)
  const [row] = await mails()
  await run()
  await run(60)
  expect(received).toHaveLength(1)
  const unsubscribe = `http://localhost:3000/mail/unsubscribe?owner_id=${user_id}&id=${row?.id}`
  const headers = headersOf(received[0])
  expect(headers).toContain('Subject: Tidemark: Low balance: 99 credits left\r\n')
  expect(headers).toContain(`To: ${user_id}@tidemark.test\r\n`)
  expect(headers).toContain(`List-Unsubscribe: <${unsubscribe}>`)
  expect(headers).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')
  const mail = decoded(received[0])
  expect(mail).toContain('Open Billing: http://localhost:3000/billing?payer=personal\r\n')
  expect(mail).toContain(`Unsubscribe: ${unsubscribe}\r\n`)
  expect(mail).toContain('<a href="http://localhost:3000/billing?payer=personal"')
  expect(await mails()).toMatchObject([{ state: 'sent', failure: null }])

  // As after a crash between sending and marking.
  await database.owner.updateTable('mails').set({ state: 'due' }).execute()
  await newsOf(user_id, '2026-11-21')
  await run(120)
  const [first, ...later] = received.map((sent) => /^Message-ID: .*$/im.exec(headersOf(sent))?.[0])
  expect(later.filter((id) => id === first)).toHaveLength(1)
  expect(later).toHaveLength(2)
})

test('names with tags and line ends stay text, and add no header', async () => {
  const email = 'mallory@tidemark.test'
  const first_name = '<img src=x onerror=alert(1)>\r\nBcc: eve@evil.test'
  const profile = {
    clerk_id: 'user_mallory',
    email,
    first_name,
    last_name: null,
    profile_updated_at: new Date(),
  }
  await ensureUser(database.server, profile)
  await newsOf('user_mallory')
  await run(0, { name: 'Tide\r\nBcc: eve@evil.test' })
  expect(headersOf(received[0])).not.toMatch(/^Bcc:/m)
  const [, html = ''] = decoded(received[0]).split('text/html')
  expect(html).toContain('Hello &#60;img src=x onerror=alert(1)&#62;')
  expect(html).not.toContain('<img')
})

test('a mail that the server refuses for good, such as one to two addresses in one, has failed, and the next one is sent', async () => {
  await newsOf(await buildUser(database.server))
  refusal = 550
  await run()
  await run(60)
  expect(await mails()).toMatchObject([{ state: 'failed', failure: 'mail_refused {"code":550}', claims: 1 }])
  refusal = null
  const user_id = await buildUser(database.server)
  const users = database.owner.updateTable('users').where('clerk_id', '=', user_id)
  await users.set({ email: 'ada@one.test, eve@two.test' }).execute()
  await newsOf(user_id)
  await run(60)
  expect((await mails()).map(({ failure }) => failure)).toContain('mail_refused {"code":501}')
  await newsOf(await buildUser(database.server))
  await run(60)
  expect(received).toHaveLength(1)
})

test.each([
  ['has left', sql`DELETE FROM organization_members`],
  ['is no admin any more', sql`UPDATE organization_members SET role = 'member'`],
  ['wants no mail', sql`UPDATE users SET no_mail_of = '{org_a}'`],
  ['is banned', sql`UPDATE users SET is_banned = true`],
  ['has no address', sql`UPDATE users SET email = ''`],
])('a mail is not sent to a person who %s by then', async (_, happens) => {
  const user_id = await buildUser(database.server)
  const admin = { organization_id: 'org_a', user_id, role: 'admin', snapshot_order: 1 } as const
  await database.owner.deleteFrom('organization_members').execute()
  await database.owner.insertInto('organization_members').values(admin).execute()
  await newsOf('org_a')
  await happens.execute(database.owner)
  await run()
  expect(received).toEqual([])
  expect(await mails()).toMatchObject([{ state: 'failed', failure: 'mail_unwanted' }])
})

test.each([
  ['asks to come again', 451, port],
  ['is away', null, 1],
] as const)('a mail is sent later when the server %s, however long that lasts', async (_, code, at) => {
  await newsOf(await buildUser(database.server))
  refusal = code
  for (let tries = 0; tries < 12; tries++) await run(tries * 11, { at })
  expect(await mails()).toMatchObject([{ state: 'due', claims: 12 }])
  refusal = null
  await run(12 * 11)
  expect(received).toHaveLength(1)
})

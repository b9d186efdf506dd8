import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { exportUsageReport, getUsageReport, type UsageReport } from '../../schema/api/usage.ts'
import { revokeTokens } from '../../schema/extension/tokens.ts'
import { eraseTransferTexts } from '../../schema/ledger/post/erase-texts.ts'
import { spendCredits, type Usage } from '../../schema/ledger/spend/usage.ts'
import { forgetUser } from '../../schema/people/users/forget-user.ts'
import { buildExtensionToken, buildSignedInEditor } from '../../tests/support/factories/extension-tokens.ts'
import { buildHold, settleHold } from '../../tests/support/factories/holds.ts'
import { buildMember, buildTeam } from '../../tests/support/factories/teams.ts'
import { buildUsage, giveCredits } from '../../tests/support/factories/transfers.ts'
import { buildAccount, buildUser } from '../../tests/support/factories/users.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'

const { database, server, clerk } = testProduct({ clerk: 'sandbox' })
const march = { from: '2026-03-01', to: '2026-03-31' }

/** Usage of an owner's credits on a day of March, at noon. */
async function use(owner_id: string, actor: string, usages: readonly (Partial<Usage> & { day?: number })[]) {
  await spendCredits(
    database.server,
    usages.map(({ day = 2, ...fields }) =>
      buildUsage(owner_id, { occurred_at: new Date(Date.UTC(2026, 2, day, 12)), actor, ...fields }),
    ),
  )
}

async function personWithCredits(credits = 10_000): Promise<Person & { owner_id: string }> {
  const person = await buildAccount({ database, clerk })

  await giveCredits(database, person.user_id, { purchased: credits })
  return { ...person, owner_id: person.user_id }
}

async function team() {
  const built = await buildTeam({ database, clerk })
  const owner_id = built.organization.id
  await giveCredits(database, owner_id, { purchased: 10_000 })
  const member = await buildMember(clerk, built)
  await buildUser(database.server, member.user_id)
  return { ...built, owner_id, member }
}

type Team = Awaited<ReturnType<typeof team>>

const usageOf = async ({ organization }: Team, { token }: Person, query: Record<string, string> = {}) => {
  const asked = { payer: organization.id, ...march, ...query }
  return (await server.ask(getUsageReport, { token, query: asked })).data
}
const fileOf = async ({ organization }: Team, { token }: Person, query: Record<string, string> = {}) => {
  const asked = { payer: organization.id, ...march, format: 'csv', ...query }
  const file = await server.ask(exportUsageReport, { token, query: asked })
  return file.replaceAll('"', '').trimEnd().split('\r\n')
}
const ownUsage = async ({ token }: Person, query: Record<string, string> = {}) =>
  (await server.ask(getUsageReport, { token, query: { ...march, ...query } })).data
const told = ({ rows }: UsageReport) => rows.map(({ label, credits }) => [label, credits])

describe('the usage of a person', () => {
  test('the usage of a person is grouped by what their editors named, and each sum is that of its rows', async () => {
    const person = await personWithCredits()
    await use(person.owner_id, person.user_id, [
      { credits: 5, model: 'large', project: 'web' },
      { credits: 3, model: 'small', project: 'web', day: 4 },
      { credits: 2, day: 4 },
      { credits: 0, failure: 'provider_error', model: 'small', day: 4 },
    ])
    const days = await ownUsage(person)
    expect(days).toEqual({
      group_by: 'day',
      rows: [
        { id: '2026-03-04', label: '2026-03-04', note: null, requests: 3, failed: 1, credits: 5 },
        { id: '2026-03-02', label: '2026-03-02', note: null, requests: 1, failed: 0, credits: 5 },
      ],
      total: { requests: 4, failed: 1, credits: 10 },
    })
    expect(told(await ownUsage(person, { group_by: 'model' }))).toEqual([
      ['large', 5],
      ['small', 3],
      ['No model', 2],
    ])
    expect(told(await ownUsage(person, { group_by: 'project' }))).toEqual([
      ['web', 8],
      ['No project', 2],
    ])
    const { rows } = await ownUsage(person, { group_by: 'person' })
    expect(rows).toMatchObject([{ id: person.user_id, label: 'Ada', requests: 4, failed: 1, credits: 10 }])
    for (const group_by of ['day', 'model', 'project', 'editor', 'person']) {
      const report = await ownUsage(person, { group_by })
      expect(report.total).toEqual(days.total)
      const sum = (of: 'requests' | 'failed' | 'credits') =>
        report.rows.reduce((all, row) => all + row[of], 0)
      expect({ requests: sum('requests'), failed: sum('failed'), credits: sum('credits') }).toEqual(
        report.total,
      )
    }
    expect(await ownUsage(person, { to: '2026-03-01' })).toMatchObject({ rows: [], total: { requests: 0 } })
  })

  test('an editor is shown by the name of its token, also when that has ended or was deleted', async () => {
    const person = await personWithCredits()
    const { user_id } = person
    const signIn = async (editor_name: string | null) =>
      (await buildSignedInEditor(database.server, { user_id, scheme: 'vscode', editor_name }))?.id ?? ''
    const ended = await signIn('Code on desk')
    await revokeTokens(database.server, { user_id, now: new Date() })
    await buildExtensionToken(database, user_id)
    const generated = await database.row('extension_tokens', { user_id, scheme: null }, ['id'])
    const editors = [
      await signIn('Code on laptop'),
      await signIn(null),
      ended,
      generated.id,
      randomUUID(),
      null,
    ]
    await use(
      person.owner_id,
      user_id,
      editors.map((token_id, n) => ({ token_id, credits: 60 - n })),
    )
    expect(told(await ownUsage(person, { group_by: 'editor' }))).toEqual([
      ['Code on laptop', 60],
      ['Visual Studio Code', 59],
      ['Code on desk (signed out)', 58],
      ['Generated token', 57],
      ['Signed-out editor', 56],
      ['Unknown editor', 55],
    ])
  })

  test('beyond the largest hundred and a thousand combinations a day usage is one row, and the total stays', async () => {
    const person = await personWithCredits()
    const models = Array.from({ length: 1050 }, (_, n) => ({ model: `model-${n}`, credits: n < 5 ? 9 : 2 }))
    for (let at = 0; at < models.length; at += 100) {
      await use(person.owner_id, person.user_id, models.slice(at, at + 100))
    }
    await use(person.owner_id, person.user_id, [{ model: 'other', project: 'other' }])
    const { rows, total } = await ownUsage(person, { group_by: 'model' })
    expect(total).toEqual({ requests: 1051, failed: 0, credits: 5 * 9 + 1045 * 2 + 1 })
    expect(rows.at(-1)).toMatchObject({ id: null, label: 'Other' })
    expect(rows.filter(({ label }) => label === 'Other')).toHaveLength(1)
    expect(rows.length).toBeLessThanOrEqual(101)
    expect(rows.reduce((sum, { credits }) => sum + credits, 0)).toBe(total.credits)
    expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(total.requests)
    const file = await server.ask(exportUsageReport, {
      token: person.token,
      query: { ...march, group_by: 'model', format: 'csv' },
    })
    const lines = file.replaceAll('"', '').trimEnd().split('\r\n')
    expect(lines).toHaveLength(1002)
    expect(lines[1]).toBe('2026-03-02,Other,51,0,101')
  })

  test('what a request cost above its hold is told on the day of its settlement, without the request', async () => {
    const person = await personWithCredits()
    const hold = await buildHold(database.server, person.owner_id, {
      model: 'other',
      occurred_at: new Date('2026-03-02T23:59:00Z'),
    })
    const { owner_id, user_id: actor } = person
    const occurred_at = new Date('2026-03-03T00:01:00Z')
    await settleHold(database.server, owner_id, hold, { actor, credits: 80, occurred_at })
    const after = { from: '2026-03-03', to: '2026-03-03' }
    expect(await ownUsage(person, { ...after, group_by: 'model' })).toMatchObject({
      rows: [{ id: null, label: 'Other', requests: 0, credits: 5 }],
      total: { requests: 0, credits: 5 },
    })
  })

  test.each([
    [{ from: '0000-12-30', to: '0000-12-31' }, 'Give a day of this millennium, such as 2026-11-25'],
    [{ from: '2026-03-02', to: '2026-03-01' }, 'to must not be before from'],
    [{ from: '2025-03-01', to: '2026-03-02' }, 'to must be at most 365 days after from'],
  ])('a request for the usage of %o is refused, with a sentence: %s', async (query, error) => {
    const { token } = await signUp(clerk)
    const { status, body } = await server.api(getUsageReport, {
      token,
      query: query as Record<string, string>,
    })
    expect(status).toBe(400)
    expect(body).toMatchObject({ error, code: 'invalid_request' })
  })
})

describe('the usage of an organization', () => {
  test('an admin sees the usage of everyone by name, and a member their own', async () => {
    const ours = await team()
    const { admin, member, owner_id } = ours
    const editor = await buildSignedInEditor(database.server, {
      user_id: member.user_id,
      scheme: 'cursor',
      editor_name: 'Cursor on laptop',
    })
    await use(owner_id, admin.user_id, [{ credits: 5, project: 'secret' }])
    await use(owner_id, member.user_id, [{ credits: 7, token_id: editor?.id ?? null }])
    expect(await usageOf(ours, admin, { group_by: 'person' })).toMatchObject({
      rows: [
        { id: member.user_id, label: 'Ada', note: `${member.user_id}@tidemark.test`, credits: 7 },
        { id: admin.user_id, label: 'Ada', credits: 5 },
      ],
      total: { credits: 12 },
    })
    expect((await usageOf(ours, admin, { group_by: 'editor' })).rows).toMatchObject([
      { label: 'Cursor on laptop', note: 'Ada' },
      { label: 'Unknown editor', note: 'Ada' },
    ])
    for (const group_by of ['day', 'model', 'project', 'editor', 'person']) {
      const report = await usageOf(ours, member, { group_by })
      expect(report).toMatchObject({ total: { requests: 1, credits: 7 } })
      expect(JSON.stringify(report)).not.toMatch(new RegExp(`secret|${admin.user_id}`))
      const lines = await fileOf(ours, member, { group_by })
      expect(lines).toHaveLength(2)
      expect(lines[1]).toMatch(/^2026-03-02,.*1,0,7$/)
    }
    expect(await ownUsage(member)).toMatchObject({ rows: [], total: { credits: 0 } })
  })

  test('an erased person is a deleted user without name, address and labels, and the sums stay', async () => {
    const ours = await team()
    const { admin, member, owner_id } = ours
    await use(owner_id, admin.user_id, [{ credits: 5, model: 'large' }])
    await use(owner_id, member.user_id, [
      { credits: 7, model: 'large', project: 'ada-private', token_id: randomUUID() },
    ])
    const before = await usageOf(ours, admin)
    await database.worker.transaction().execute(async (trx) => {
      await eraseTransferTexts(trx, { user_id: member.user_id, organizations: [owner_id], names: [] })
      await forgetUser(trx, { user_id: member.user_id, now: new Date() })
    })
    expect(await usageOf(ours, admin)).toEqual(before)
    const report = await usageOf(ours, admin, { group_by: 'person' })
    expect(report.rows).toMatchObject([
      { id: member.user_id, label: 'Deleted user', note: null, credits: 7 },
      { label: 'Ada', credits: 5 },
    ])
    expect(told(await usageOf(ours, admin, { group_by: 'project' }))).toEqual([['No project', 12]])
    expect((await usageOf(ours, admin, { group_by: 'editor' })).rows[0]).toMatchObject({
      label: 'Signed-out editor',
      note: 'Deleted user',
    })
    const files = await Promise.all(
      ['person', 'editor', 'project'].map((group_by) => fileOf(ours, admin, { group_by })),
    )
    expect(files.flat().join('\n')).not.toMatch(/ada-private|forgotten-|@tidemark\.test.*,7$/m)
    expect(files[0]?.[1]).toBe(`2026-03-02,Deleted user,,${member.user_id},1,0,7`)
  })

  test('a file has a row for each day and group, and runs no formula', async () => {
    const ours = await team()
    const { admin, owner_id } = ours
    await use(owner_id, admin.user_id, [
      { credits: 9, model: '=HYPERLINK("https://evil.test")', day: 20 },
      { credits: 8, model: 'a "quoted", model\r\nwith lines', day: 20 },
      { credits: 7, model: '@SUM(1)', day: 3 },
      { credits: 0, failure: 'timeout', day: 3 },
    ])
    const query = { payer: owner_id, ...march, group_by: 'model', format: 'csv' }
    const { headers, body } = await server.api(exportUsageReport, { token: admin.token, query })
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toBe('attachment; filename="usage-2026-03-01-2026-03-31.csv"')
    expect(body).toBe(
      [
        '"day","model","requests","failed","credits"',
        `"2026-03-20","'=HYPERLINK(""https://evil.test"")","1","0","9"`,
        '"2026-03-20","a ""quoted"", model\r\nwith lines","1","0","8"',
        `"2026-03-03","'@SUM(1)","1","0","7"`,
        '"2026-03-03","No model","1","1","0"',
        '',
      ].join('\r\n'),
    )
    expect(await fileOf(ours, admin)).toEqual([
      'day,requests,failed,credits',
      '2026-03-20,2,0,17',
      '2026-03-03,2,1,7',
    ])
    expect(await fileOf(ours, admin, { to: '2026-03-02' })).toEqual(['day,requests,failed,credits'])
  })
})

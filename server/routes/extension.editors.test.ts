import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import {
  generateExtensionToken,
  getActiveExtensionToken,
  getExtensionBalance,
  revokeAllExtensionTokens,
  revokeEditor,
  revokeExtensionToken,
  signOutEditor,
} from '../../schema/api/extension.ts'
import {
  bind,
  codeOf,
  complete,
  exchange,
  initiate,
  newSignIn,
  signInBoundTo,
} from '../../tests/support/product/editor-sign-in.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'

const { database, clerk, server, clock } = testProduct({ clerk: 'sandbox' })
afterEach(() => {
  clock.reset()
})

const generate = async ({ token }: Person) =>
  (await server.ask(generateExtensionToken, { token })).access_token
const active = ({ token }: Person) => server.ask(getActiveExtensionToken, { token })
const editorsOf = async (person: Person) => (await active(person)).editors
const revoke = ({ token }: Person, id: string) => server.api(revokeEditor, { token, body: { id } })
const works = async (token: string) => (await server.api(getExtensionBalance, { token })).status === 200
const rowsOf = ({ user_id }: Person) =>
  database.owner.selectFrom('extension_tokens').selectAll().where('user_id', '=', user_id).execute()

/** A token by a sign-in of an editor that calls itself `editor_name`. */
async function signIn(
  person: Person,
  editor_name: string | null = null,
  signIn = newSignIn(),
): Promise<string> {
  const answer = await exchange(server, await signInBoundTo(server, person, signIn, { editor_name }))
  return (answer.body as { access_token: string }).access_token
}
async function signInTen(person: Person): Promise<string[]> {
  const tokens: string[] = []
  for (let at = 1; at <= 10; at++) tokens.push(await signIn(person, `Editor ${at}`))
  return tokens
}
const tooMany = {
  status: 409,
  body: {
    code: 'too_many_editors',
    message:
      'You have 10 connected editors, which is the maximum. Revoke one on your dashboard, then try again.',
  },
}

describe('a long-lived token', () => {
  test('a long-lived token works for four months to the second', async () => {
    const ada = await signUp(clerk)
    clock.stop(new Date('2026-11-20T10:00:00Z'))
    const { access_token, expires_at } = await server.ask(generateExtensionToken, { token: ada.token })
    expect(expires_at).toBe('2027-03-20T10:00:00.000Z')
    clock.stop(new Date('2027-03-20T09:59:59.999Z'))
    expect(await works(access_token)).toBe(true)
    expect((await active(ada)).hasActive).toBe(true)
    clock.stop(new Date('2027-03-20T10:00:00Z'))
    expect(await works(access_token)).toBe(false)
    expect((await active(ada)).hasActive).toBe(false)
    // The expired one does not count.
    expect(await works(await generate(ada))).toBe(true)
  })

  test('created in ten tabs at once: one works and nine do not', async () => {
    const ada = await signUp(clerk)
    const made = await Promise.all(Array.from({ length: 10 }, () => generate(ada)))
    expect(new Set(made).size).toBe(10)
    const working = await Promise.all(made.map(works))
    expect(working.filter(Boolean)).toHaveLength(1)
    expect((await rowsOf(ada)).filter(({ revoked_at }) => revoked_at === null)).toHaveLength(1)
  })
})

describe('several editors of a person', () => {
  test('a sign-in ends no other, and neither does a token that is generated', async () => {
    const ada = await signUp(clerk)
    const generated = await generate(ada)
    const [laptop, desktop] = [await signIn(ada, 'Cursor on laptop'), await signIn(ada, 'Cursor on desktop')]
    expect(await works(generated)).toBe(true)
    const again = await generate(ada)
    expect(await works(generated)).toBe(false)
    for (const token of [laptop, desktop, again]) expect(await works(token)).toBe(true)
  })

  test('editors are listed with name, first use and last use, the one that was used last first', async () => {
    const ada = await signUp(clerk)
    clock.stop(new Date('2026-11-20T10:00:00Z'))
    const laptop = await signIn(ada, 'Cursor on laptop', newSignIn('cursor://tidemark.tidemark/auth'))
    clock.stop(new Date('2026-11-20T11:00:00Z'))
    await signIn(ada, null, newSignIn('http://127.0.0.1:4000/back'))
    clock.stop(new Date('2026-11-20T12:00:00Z'))
    await works(laptop)
    expect(await active(ada)).toMatchObject({
      hasActive: false,
      editors: [
        {
          editor: 'Cursor',
          name: 'Cursor on laptop',
          signed_in_at: '2026-11-20T10:00:00.000Z',
          last_used_at: '2026-11-20T12:00:00.000Z',
          expires_at: '2027-03-20T10:00:00.000Z',
          payer: 'personal',
        },
        { editor: null, name: null, last_used_at: null },
      ],
    })
  })

  test('only the generated token is active and is revoked by the calls of the specification', async () => {
    const ada = await signUp(clerk)
    const editor = await signIn(ada)
    expect(await active(ada)).toMatchObject({ hasActive: false, editors: [{}] })
    expect(await server.ask(revokeExtensionToken, { token: ada.token })).toMatchObject({ revoked: false })
    const generated = await generate(ada)
    expect(await active(ada)).toMatchObject({ hasActive: true, editors: [{}] })
    expect(await server.ask(revokeExtensionToken, { token: ada.token })).toMatchObject({ revoked: true })
    expect([await works(generated), await works(editor)]).toEqual([false, true])
  })

  test('one editor is revoked at once while the others work on, and revoking it again changes nothing', async () => {
    const ada = await signUp(clerk)
    const [laptop, desktop] = [await signIn(ada, 'laptop'), await signIn(ada, 'desktop')]
    expect([await works(laptop), await works(desktop)]).toEqual([true, true])
    const id = (await editorsOf(ada)).find(({ name }) => name === 'laptop')?.id ?? ''
    expect(await revoke(ada, id)).toMatchObject({ status: 200, body: { success: true } })
    expect([await works(laptop), await works(desktop)]).toEqual([false, true])
    expect(await editorsOf(ada)).toMatchObject([{ name: 'desktop' }])
    const rows = await rowsOf(ada)
    expect(await revoke(ada, id)).toMatchObject({ status: 200 })
    expect(await rowsOf(ada)).toEqual(rows)
  })

  test('an editor of another person is a 404 like one that does not exist, and works on', async () => {
    const [ada, eve] = [await signUp(clerk), await signUp(clerk)]
    const editor = await signIn(ada)
    const [{ id } = { id: '' }] = await editorsOf(ada)
    expect(await revoke(eve, id)).toMatchObject({ status: 404, body: { code: 'editor_not_found' } })
    expect(await revoke(eve, randomUUID())).toMatchObject({ status: 404, body: { code: 'editor_not_found' } })
    expect((await revoke(eve, 'none')).status).toBe(400)
    expect(await works(editor)).toBe(true)
    expect(await editorsOf(eve)).toEqual([])
  })

  test('an editor that signs out ends its own token and no other', async () => {
    const ada = await signUp(clerk)
    const tokens = [await signIn(ada), await signIn(ada), await generate(ada)] as const
    const signOut = (token: string) => server.api(signOutEditor, { token })
    expect(await signOut(tokens[0])).toMatchObject({ status: 200, body: { success: true } })
    expect(await Promise.all(tokens.map(works))).toEqual([false, true, true])
    expect(await signOut(tokens[0])).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
    await signOut(tokens[2])
    expect(await active(ada)).toMatchObject({ hasActive: false, editors: [{}] })
  })

  test('revoking all ends the editors and the generated token of one person', async () => {
    const [ada, eve] = [await signUp(clerk), await signUp(clerk)]
    const tokens = [await signIn(ada), await signIn(ada), await generate(ada)]
    const other = await signIn(eve)
    const revokeAll = () => server.ask(revokeAllExtensionTokens, { token: ada.token })
    expect(await revokeAll()).toEqual({ success: true, revoked: 3 })
    for (const token of tokens) expect(await works(token)).toBe(false)
    expect(await works(other)).toBe(true)
    expect(await active(ada)).toMatchObject({ hasActive: false, editors: [] })
    expect(await revokeAll()).toEqual({ success: true, revoked: 0 })
  })
})

describe('the eleventh editor', () => {
  test('the eleventh editor is refused when its user agrees, on both pages, until one is revoked', async () => {
    const ada = await signUp(clerk)
    const tokens = await signInTen(ada)
    const eleventh = newSignIn()
    expect(await bind(server, eleventh, ada)).toMatchObject(tooMany)
    expect(await complete(server, newSignIn(), ada)).toMatchObject(tooMany)
    for (const token of tokens) expect(await works(token)).toBe(true)
    // The token that is generated is of another kind.
    expect(await works(await generate(ada))).toBe(true)
    const [{ id } = { id: '' }] = await editorsOf(ada)
    await revoke(ada, id)
    expect((await exchange(server, await signInBoundTo(server, ada, eleventh))).status).toBe(200)
    expect(await editorsOf(ada)).toHaveLength(10)
  })

  test('an editor whose token has expired counts no longer', async () => {
    const ada = await signUp(clerk)
    await signInTen(ada)
    await database.owner
      .updateTable('extension_tokens')
      .set({ created_at: new Date('2025-01-01'), expires_at: new Date('2025-05-01') })
      .where('user_id', '=', ada.user_id)
      .where('editor_name', '=', 'Editor 3')
      .execute()
    expect(await works(await signIn(ada, 'Editor 11'))).toBe(true)
    expect(await bind(server, newSignIn(), ada)).toMatchObject(tooMany)
  })

  test('one of five sign-ins that are exchanged at once gets the last place, and the others may try again', async () => {
    const ada = await signUp(clerk)
    await signInTen(ada)
    const [{ id } = { id: '' }] = await editorsOf(ada)
    await revoke(ada, id)
    const agreed = []
    for (let count = 0; count < 5; count++) agreed.push(await signInBoundTo(server, ada))
    const answers = await Promise.all(agreed.map((signIn) => exchange(server, signIn)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
    const refused = answers.findIndex(({ status }) => status === 409)
    expect(answers[refused]).toMatchObject({
      status: 409,
      body: { ...tooMany.body, error: 'invalid_request', error_description: tooMany.body.message },
    })
    expect(await editorsOf(ada)).toHaveLength(10)
    const [{ id: another } = { id: '' }] = await editorsOf(ada)
    await revoke(ada, another)
    const again = agreed[refused]
    expect(again && (await exchange(server, again)).status).toBe(200)
    expect(await editorsOf(ada)).toHaveLength(10)
  })
})

describe('the name of an editor', () => {
  test('the name of an editor is one line of at most 64 characters that hides and reverses nothing', async () => {
    const ada = await signUp(clerk)
    await signIn(ada, `  Cursor\n\ton\u202e a\u200bda\u0000’s laptop ${'x'.repeat(80)}`)
    await signIn(ada, '\u2066\u0007')
    const names = (await editorsOf(ada)).map(({ name }) => name)
    expect(names).toHaveLength(2)
    expect(names).toContain(`Cursor on ada’s laptop ${'x'.repeat(41)}`)
    expect(names).toContain(null)
  })

  test('the name of an editor travels from the start of the sign-in to the page on which its user agrees', async () => {
    const { body } = await initiate(server, newSignIn(), { editor_name: ' Cursor\non laptop' })
    const { searchParams } = new URL((body as { auth_url: string }).auth_url)
    expect(searchParams.get('editor_name')).toBe('Cursor on laptop')
    const unnamed = (await initiate(server, newSignIn())).body as { auth_url: string }
    expect(new URL(unnamed.auth_url).searchParams.has('editor_name')).toBe(false)
  })

  test('the name that counts is the one that the page showed last, on both pages', async () => {
    const ada = await signUp(clerk)
    const [withChallenge, without] = [newSignIn(), newSignIn()]
    await signInBoundTo(server, ada, withChallenge, { editor_name: 'first' })
    await exchange(server, await signInBoundTo(server, ada, withChallenge, { editor_name: 'second' }))
    const code = codeOf(await complete(server, without, ada, { editor_name: 'third' }))
    await exchange(server, { ...without, code }, { code_verifier: undefined })
    expect((await editorsOf(ada)).map(({ name }) => name).sort()).toEqual(['second', 'third'])
  })
})

import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import {
  generateExtensionToken,
  getActiveExtensionToken,
  getExtensionBalance,
  revokeExtensionToken,
} from '../../schema/api/extension.ts'
import { exchangeAuthCode, updateAuthCode } from '../../schema/api/extension-auth.ts'
import { reportUsage } from '../../schema/api/spending.ts'
import { createLogger } from '../../schema/log.ts'
import type { TestDatabase } from '../../tests/support/database/test-database.ts'
import { madeOnce } from '../../tests/support/made.ts'
import {
  codeOf,
  complete,
  confirm,
  exchange,
  initiate,
  newSignIn,
  prepare,
  signInBoundTo,
} from '../../tests/support/product/editor-sign-in.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import type { TestServer } from '../../tests/support/product/test-server.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

/** Everything that was logged, as the product writes it and with nothing held back. */
const lines: string[] = []
const sink = { write: (line: string) => void lines.push(line) }

const { database, clerk, server, startServer } = testProduct({
  clerk: 'sandbox',
  server: { deps: { log: createLogger({ process: 'server', level: 'trace', destination: sink }) } },
})
const ada = madeOnce(() => signUp(clerk))

test('tokens, codes, verifiers and states are unreadable in the database and in the logs', async () => {
  const secrets = [...(await useEverywhere(server))]
  await using unguarded = await startServer({
    deps: { log: pino({ level: 'trace' }, sink) },
  })
  secrets.push(...(await useEverywhere(unguarded)))

  const database_dump = await dump(database)
  const logged = lines.join('')
  // Proves that the search works: a value that is no secret is found.
  expect(database_dump).toContain(ada.user_id)
  expect(logged).toContain(ada.user_id)
  expect(logged).toContain(exchangeAuthCode.path)
  expect(secrets).toHaveLength(18)
  for (const secret of secrets.flatMap(spellingsOf)) {
    expect(database_dump).not.toContain(secret)
    expect(logged).not.toContain(secret)
  }
})

/** Uses both kinds of sign-ins and tokens in every call, valid and invalid. Returns all secrets. */
async function useEverywhere(on: TestServer): Promise<string[]> {
  const signIn = await signInBoundTo(on, ada)
  await initiate(on, signIn)
  await exchange(on, signIn, { code_verifier: newSignIn().code_verifier })
  await exchange(on, signIn, { redirect_uri: 'vscode://tidemark.tidemark/other' })
  const { access_token } = (await exchange(on, signIn)).body as { access_token: string }
  await on.ask(getExtensionBalance, { token: access_token })
  await useToken(on, access_token)
  await exchange(on, signIn)
  await misplace(on, signIn)

  const other = newSignIn()
  const prepared = (await prepare(on, other, ada)).body as { confirmation: string }
  await confirm(on, other, ada, { confirmation: prepared.confirmation, clerk_user_id: 'user_else' })
  await confirm(on, other, ada, { confirmation: prepared.confirmation })
  const finished = { ...other, code: codeOf(await complete(on, other, ada)) }
  await exchange(on, finished)
  const exchanged = (await exchange(on, finished, { code_verifier: undefined })).body as {
    access_token: string
  }
  await on.ask(getExtensionBalance, { token: exchanged.access_token })
  await useToken(on, exchanged.access_token)

  const generated = await on.ask(generateExtensionToken, { token: ada.token })
  await on.ask(getExtensionBalance, { token: generated.access_token })
  await useToken(on, generated.access_token)
  await on.api(revokeExtensionToken, { token: ada.token })
  await useToken(on, generated.access_token)
  return [
    signIn.state,
    signIn.code,
    signIn.code_verifier,
    other.state,
    other.code_verifier,
    access_token,
    exchanged.access_token,
    generated.access_token,
    ada.token,
  ]
}

/** In the calls it opens, with good and bad requests, and in those it does not. */
async function useToken(on: TestServer, token: string): Promise<void> {
  await on.api(getExtensionBalance, { token })
  await on.api(getExtensionBalance, { token, query: { payer: 'org_unknown' } })
  await on.api(reportUsage, { token, body: { credits: 1, idempotency_key: 'k' } })
  await on.api(reportUsage, { token, body: {} })
  await on.api(getActiveExtensionToken, { token })
}

/** Secrets in places where a clumsy client might put them. */
async function misplace(
  on: TestServer,
  { state, code, code_verifier }: { state: string; code: string; code_verifier: string },
) {
  const { path } = exchangeAuthCode
  await fetch(`${on.url}${path}?${new URLSearchParams({ state, code, code_verifier })}`)
  await on.api(exchangeAuthCode, { body: { state, code, code_verifier } })
  await on.api(updateAuthCode, { token: ada.token, body: { state, authorization_code: code } })
  await fetch(`${on.url}${path}`, { method: 'POST', body: `${state}${code}${code_verifier}` })
}

/** Each row of each table, as text. */
async function dump({ owner }: TestDatabase): Promise<string> {
  const tables = await sql<{ name: string }>`
    SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
  `.execute(owner)
  const texts: string[] = []
  for (const { name } of tables.rows) {
    const rows = await sql<{ text: string }>`SELECT t::text AS text FROM ${sql.raw(name)} AS t`.execute(owner)
    texts.push(...rows.rows.map(({ text }) => text))
  }
  return texts.join('\n')
}

/** A secret as it is, without its prefix, and as bytes would show it. */
function spellingsOf(secret: string): string[] {
  const bare = secret.replace(/^tide_/, '')
  return [bare, Buffer.from(bare).toString('hex'), Buffer.from(bare).toString('base64').replace(/=+$/, '')]
}

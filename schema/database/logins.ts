import pg from 'pg'
import type { DatabaseRole } from './connect.ts'

/** A login that a process connects with, as it stands in its DATABASE_URL. */
export interface Login {
  readonly url: string
  readonly role: DatabaseRole
}

/**
 * Makes the logins of the processes, or gives them their password again. Each may act as the one role that
 * its process needs, owns nothing and may make nothing, so a process that gives up its role (RESET ROLE, SET
 * ROLE NONE) has gained nothing. The login must be allowed to create roles; the roles themselves come with
 * the first migration.
 */
export async function makeLogins(options: {
  readonly connectionString: string
  readonly logins: readonly Login[]
}): Promise<string[]> {
  const client = new pg.Client({ connectionString: options.connectionString })
  await client.connect()
  try {
    const changes: string[] = []
    for (const login of options.logins) changes.push(await makeLogin(client, login))
    return changes
  } finally {
    await client.end()
  }
}

async function makeLogin(client: pg.Client, { url, role }: Login): Promise<string> {
  const { username, password } = new URL(url)
  if (!username || !password)
    throw new Error(`The address of the login for ${role} has no name or no password`)
  const name = client.escapeIdentifier(decodeURIComponent(username))
  const { rows } = await client.query<{ may_more: boolean }>(
    `SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls AS may_more
     FROM pg_roles WHERE rolname = $1`,
    [decodeURIComponent(username)],
  )
  // A login that only creates roles may not even say NOSUPERUSER of one that exists.
  if (rows[0]?.may_more)
    throw new Error(`The login ${name} exists, and may do more than ${role} needs: use another one`)
  const secret = client.escapeLiteral(decodeURIComponent(password))
  await client.query(`${rows.length === 0 ? 'CREATE' : 'ALTER'} ROLE ${name} LOGIN PASSWORD ${secret}`)
  await client.query(`GRANT ${role} TO ${name}`)
  return `${name}: may act as ${role}`
}

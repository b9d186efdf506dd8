import pg from 'pg'
import { listPendingMigrations } from '../../schema/database/migrate.ts'
import { createPool } from '../../schema/database/pool.ts'
import { explainError } from '../explain-error.ts'
import type { Configuration } from './configuration.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const oldestVersion = 15
const roles = ['tidemark_server', 'tidemark_worker']

interface Login {
  readonly name: string
  readonly version: number
  readonly is_superuser: boolean
  readonly owns_tables: boolean
  /** Our roles that this login may assume. */
  readonly roles: readonly string[]
  /** The language whose order the indexes of texts have; null where it is that of bytes. */
  readonly collation: string | null
}

/** Checks that the database is up to date and its logins have the rights they need. Reads only. */
export async function examineDatabase({ env }: Configuration): Promise<Finding[]> {
  const pool = createPool(
    { connectionString: env.DATABASE_URL, max: 1, connectionTimeoutMillis: 10_000 },
    () => undefined,
  )
  try {
    const login = await readLogin(pool)
    if (login.version < oldestVersion) return [tooOld(login.version)]
    const pending = await listPendingMigrations(pool)
    const wrong = [
      ...(pending.length > 0 ? [notMigrated(pending)] : []),
      ...(login.roles.length === 0 ? [withoutRole(login)] : []),
    ]
    const text = `Postgres ${login.version}, every migration, as ${login.name} (${login.roles.join(', ')})`
    return [
      ...(wrong.length > 0 ? wrong : [ok('database', text)]),
      ...orderOfTexts(login),
      ...(env.NODE_ENV === 'production' ? tooPowerful(login) : []),
    ]
  } catch (error) {
    if (
      !(error instanceof pg.DatabaseError) &&
      !/connect|ECONN|ENOTFOUND|timeout|terminated/i.test(explainError(error))
    )
      throw error
    return [
      problem('database', {
        text: `it does not answer: ${explainError(error)}`,
        means: 'Nothing works: server and worker wait for it.',
        repair: 'Correct DATABASE_URL, or start Postgres; without DATABASE_URL, run `npm start` first.',
      }),
    ]
  } finally {
    await pool.end()
  }
}

async function readLogin(pool: pg.Pool): Promise<Login> {
  const { rows } = await pool.query<Login>(
    `SELECT session_user AS name, current_setting('server_version_num')::int / 10000 AS version,
      (SELECT rolsuper FROM pg_roles WHERE rolname = session_user) AS is_superuser,
      EXISTS (SELECT FROM pg_tables WHERE schemaname = 'public' AND tableowner = session_user) AS owns_tables,
      array(SELECT rolname::text FROM pg_roles WHERE rolname = ANY ($1) AND pg_has_role(session_user, oid, 'MEMBER')
        ORDER BY rolname) AS roles,
      (SELECT coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale', datcollate) FROM pg_database d
        WHERE datname = current_database()
          AND NOT (datlocprovider = 'b' OR (datlocprovider = 'c' AND datcollate IN ('C', 'POSIX', 'C.UTF-8', 'C.utf8')))) AS collation`,
    [roles],
  )
  const [login] = rows
  if (!login) throw new Error('Postgres did not say who we are')
  return login
}

function tooOld(version: number): Finding {
  return problem('database', {
    text: `Postgres ${version}`,
    means: `Migrations and queries need ${oldestVersion} or newer.`,
    repair: 'Move to a newer Postgres, or leave DATABASE_URL out to use the one from the install.',
  })
}

function notMigrated(pending: readonly string[]): Finding {
  return problem('database', {
    text: `${pending.length} migrations are missing, the first is ${pending[0]}`,
    means: 'Server and worker ask for tables and columns that are not there.',
    repair: 'Run `npm run db:migrate` with the login that owns the tables.',
  })
}

function withoutRole(login: Login): Finding {
  return problem('database', {
    text: `the login ${login.name} may act neither as tidemark_server nor as tidemark_worker`,
    means: 'No process can connect with it.',
    repair: `Grant it one of them: GRANT tidemark_server TO "${login.name}"; docs/going-live.md has all logins.`,
  })
}

/** Our queries need no language's order: browsers sort what people read. */
function orderOfTexts({ collation }: Login): Finding[] {
  if (collation === null) return []
  return [
    warning('database order of texts', {
      text: `indexes have the order of ${collation}`,
      means:
        'An update of libc or ICU may order otherwise, and a unique index that is not rebuilt then lets a second row in. Posting is slower too.',
      repair: 'Move to a database with the order of bytes: docs/operations.md, Settings of Postgres.',
    }),
  ]
}

/** A process gives up its rights when it connects; a login that has more could take them back. */
function tooPowerful(login: Login): Finding[] {
  const powers = [
    ...(login.is_superuser ? ['is a superuser'] : []),
    ...(login.owns_tables ? ['owns the tables'] : []),
    ...(login.roles.length > 1 ? ['may act as both processes'] : []),
  ]
  if (powers.length === 0) return [ok('database login', 'may do what one process needs')]
  return [
    warning('database login', {
      text: `${login.name} ${powers.join(' and ')}`,
      means: 'An attacker who takes over the server can write balances and the ledger with RESET ROLE.',
      repair: 'Give each process a login of its own: docs/going-live.md, Database.',
    }),
  ]
}

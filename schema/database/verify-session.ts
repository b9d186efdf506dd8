import type pg from 'pg'
import type { DatabaseConnection } from './connect.ts'

/** A session is not what was asked for; a person has to change the settings of the database or of a pooler. */
export class OtherSessionError extends Error {
  override readonly name = 'OtherSessionError'
}

/**
 * Called at the start of a process: compares a session with what was asked for, which is what protects the
 * tables, the other mode's rows and everyone else's time. A pooler that gives one session of Postgres to
 * several clients at once would mix theirs. https://www.pgbouncer.org/features.html (SQL feature map)
 */
export async function refuseOtherSession({ pool, session }: DatabaseConnection): Promise<void> {
  try {
    await using first = await connect(pool)
    await using second = await connect(pool)
    const { rows } = await first.client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    // A pooler lends what was just given back; from here on to the second client, until its transaction ends.
    await second.client.query('BEGIN')
    await second.client.query('SELECT 1')
    const different = await findDifferent(first.client, { ...session, pid: String(rows[0]?.pid) })
    await second.client.query('ROLLBACK')
    if (different === undefined) return
    throw new OtherSessionError(
      different === 'pid'
        ? 'DATABASE_URL leads through a pooler that shares sessions: set pool_mode = session in PgBouncer.'
        : `A session of DATABASE_URL has another ${different} than was asked for (${session[different]}): connect to Postgres itself, or set pool_mode = session in PgBouncer.`,
    )
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '42501')) throw error
    throw new OtherSessionError(
      `The login of DATABASE_URL may not act as ${session.role}: GRANT ${session.role} to it (npm run db:logins).`,
    )
  }
}

async function connect(pool: pg.Pool) {
  const client = await pool.connect()
  return { client, [Symbol.asyncDispose]: async () => client.release() }
}

/** The name of a setting that has another value. Times are shown in other units than they were asked for. */
async function findDifferent(
  client: pg.ClientBase,
  wanted: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM unnest($1::text[], $2::text[]) AS asked (name, wanted)
     WHERE NOT CASE
       WHEN name = 'pid' THEN pg_backend_pid() = wanted::integer
       WHEN name LIKE '%timeout' THEN current_setting(name)::interval = wanted::interval
       ELSE current_setting(name, true) IS NOT DISTINCT FROM wanted
     END ORDER BY name = 'pid' DESC LIMIT 1`,
    [Object.keys(wanted), Object.values(wanted)],
  )
  return rows[0]?.name
}

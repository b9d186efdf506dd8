import { randomUUID } from 'node:crypto'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { Database } from '../database/connect.ts'
import { prepared } from '../database/prepared.ts'
import type { DB, OperatorKeys } from '../database/types.ts'
import { recordAudit } from '../support/audit.ts'
import { createToken, hashSecret, operatorKeyPrefix } from './secrets.ts'
import { useResolutionMs } from './tokens.ts'

/** A key of one of the operator's own services, such as a model gateway. It never expires. */
export type OperatorKey = Omit<Selectable<OperatorKeys>, 'key_hash'>

interface Change {
  /** Of the operator, for the audit log. */
  readonly actor: string
  readonly now: Date
}

/** Makes a key beside those that there are. Its text is shown only now; only its hash is stored. */
export function createOperatorKey(
  db: Kysely<DB>,
  { name, actor, now }: Change & Pick<OperatorKey, 'name'>,
): Promise<{ readonly id: string; readonly key: string }> {
  const made = { id: randomUUID(), key: createToken(operatorKeyPrefix) }
  return db.transaction().execute(async (trx) => {
    const row = { id: made.id, name, key_hash: hashSecret(made.key), created_at: now }
    await trx.insertInto('operator_keys').values(row).execute()
    await recordChange(trx, 'create_operator_key', { actor, id: made.id, name })
    return made
  })
}

/** Ends those of the keys that are valid, by an id or a name; returns them. */
export function revokeOperatorKeys(
  db: Kysely<DB>,
  { actor, now, ...which }: Change & ({ readonly id: string } | { readonly name: string }),
): Promise<OperatorKey[]> {
  return db.transaction().execute(async (trx) => {
    const ended = await trx
      .updateTable('operator_keys')
      .set({ revoked_at: now })
      .where((key) => ('id' in which ? key('id', '=', which.id) : key('name', '=', which.name)))
      .where('revoked_at', 'is', null)
      .returning(columns)
      .execute()
    for (const { id, name } of ended) await recordChange(trx, 'revoke_operator_key', { actor, id, name })
    return ended
  })
}

/** The newest first. */
export function listOperatorKeys(db: Kysely<DB>): Promise<OperatorKey[]> {
  return db.selectFrom('operator_keys').select(columns).orderBy('created_at', 'desc').execute()
}

/** The row of a presented key, valid or not; undefined for an unknown one. */
export async function findOperatorKey(db: Database, key: string): Promise<OperatorKey | undefined> {
  const statement = sql<OperatorKey>`
    SELECT id, name, created_at, last_used_at, revoked_at FROM operator_keys WHERE key_hash = ${hashSecret(key)}`
  const { rows } = await prepared('presented_operator_key', statement).execute(db)
  return rows[0]
}

/** As `recordTokenUse`: every five minutes, and no call waits for a lock. */
export async function recordOperatorKeyUse(
  db: Database,
  { id }: Pick<OperatorKey, 'id'>,
  now: Date,
): Promise<void> {
  await sql`
    UPDATE operator_keys SET last_used_at = ${now} WHERE id = (
      SELECT id FROM operator_keys
      WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at <= ${new Date(now.getTime() - useResolutionMs)})
      FOR NO KEY UPDATE SKIP LOCKED)`.execute(db)
}

const columns = ['id', 'name', 'created_at', 'last_used_at', 'revoked_at'] as const

function recordChange(
  db: Kysely<DB>,
  what: string,
  { actor, id, name }: { readonly actor: string; readonly id: string; readonly name: string },
): Promise<void> {
  const target = { kind: 'operator_key', id }
  return recordAudit(db, {
    actor,
    act_id: null,
    what,
    outcome: 'done',
    target,
    owner_id: null,
    reason: null,
    detail: name,
  })
}

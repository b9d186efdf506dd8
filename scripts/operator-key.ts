import { userInfo } from 'node:os'
import { connectDatabase } from '../schema/database/connect.ts'
import {
  createOperatorKey,
  listOperatorKeys,
  type OperatorKey,
  revokeOperatorKeys,
} from '../schema/extension/operator-keys.ts'
import { withDatabase } from './database.ts'
import { loadDotEnv } from './dot-env.ts'
import { explainError } from './explain-error.ts'

const usage = `npm run operator-key -- COMMAND
  create NAME   makes a key for a service of yours, and prints it once; NAME: letters, digits, "_", "." and "-"
  list          all keys, the newest first
  revoke ID     ends a key: within five seconds no server accepts it
`

/**
 * `npm run operator-key`: keys for services of the operator (docs/gateway.md). It needs the login that owns the
 * tables. The audit log names the caller. Exit code 1 when it failed, 2 when it was not understood.
 */
loadDotEnv()
const [command = '', argument = '', ...more] = process.argv.slice(2)
const isUnderstood =
  more.length === 0 &&
  (command === 'list' ? argument === '' : ['create', 'revoke'].includes(command) && /^[^-]/.test(argument))
if (isUnderstood) {
  await withDatabase(run).catch((error: unknown) => {
    process.stderr.write(`${explainError(error)}\n`)
    process.exitCode = 1
  })
} else {
  process.stderr.write(usage)
  process.exitCode = 2
}

async function run(url: string): Promise<void> {
  const database = connectDatabase({
    connectionString: process.env.DATABASE_MIGRATION_URL || url,
    role: 'owner',
    poolMax: 1,
    onError: () => undefined,
  })
  const { db } = database
  const by = { actor: `cli:${userInfo().username}`, now: new Date() }
  try {
    if (command === 'list') {
      for (const key of await listOperatorKeys(db)) process.stdout.write(lineOf(key))
    } else if (command === 'create') {
      const { id, key } = await createOperatorKey(db, { ...by, name: argument })
      process.stdout.write(`${id}  ${argument}\n${key}\nIt is shown only now.\n`)
    } else {
      const ended = await revokeOperatorKeys(db, { ...by, id: argument })
      if (ended.length === 0) throw new Error('No valid key has this id')
      process.stdout.write(`${argument} is revoked\n`)
    }
  } finally {
    await database.close()
  }
}

function lineOf({ id, name, created_at, last_used_at, revoked_at }: OperatorKey): string {
  const state = revoked_at
    ? `revoked ${revoked_at.toISOString()}`
    : `last used ${last_used_at?.toISOString() ?? 'never'}`
  return `${id}  ${name}  created ${created_at.toISOString()}  ${state}\n`
}

import { userInfo } from 'node:os'
import { connectDatabase } from '../schema/database/connect.ts'
import { openDependencies } from '../server/dependencies.ts'
import { loadDotEnv } from './dot-env.ts'
import { explainError } from './explain-error.ts'
import { runSupport, UsageError, usage } from './support/run.ts'
import { withWorkerDependencies } from './worker-dependencies.ts'

/**
 * `npm run support -- COMMAND`: the functions of the console at /support, for the terminal. The audit log
 * names the caller as `cli:` and the name of the operating system's user. Exit code 1 when something was
 * refused, failed or does not agree, 2 when the command was not understood.
 */
loadDotEnv()
const argv = process.argv.slice(2)
if (argv.length === 0 || argv.includes('--help') || argv[0] === 'help') {
  process.stdout.write(usage)
} else {
  try {
    process.exitCode = await withWorkerDependencies(process.env, async (worker, env) => {
      // Reads with the rights of the server, and asks for acts as the owner of the tables.
      const { deps: server, close } = openDependencies({ ...env, LOG_LEVEL: 'silent' }, worker)
      const actor = `cli:${userInfo().username}`
      const say = (line: string) => process.stdout.write(`${line}\n`)
      const owner = connectDatabase({
        connectionString: env.DATABASE_MIGRATION_URL ?? env.DATABASE_URL,
        role: 'owner',
        poolMax: 1,
        onError: () => undefined,
      })
      return await runSupport({ server, worker, owner: owner.db }, argv, { actor, say }).finally(() =>
        Promise.all([close(), owner.close()]),
      )
    })
  } catch (error) {
    process.stderr.write(`${explainError(error)}\n`)
    if (error instanceof UsageError) process.stderr.write(`\n${usage}`)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}

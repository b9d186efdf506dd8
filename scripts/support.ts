import { userInfo } from 'node:os'
import { withDatabase } from './database.ts'
import { loadDotEnv } from './dot-env.ts'
import { UsageError } from './support/named.ts'
import { openProduct } from './support/open-product.ts'
import { runSupport, usage } from './support/run.ts'

/**
 * `npm run support -- COMMAND`: what the console at /support does, for the terminal. Whoever runs it is in the audit log as `cli:` and the
 * name of the operating system's user. Exit code 1 when something was refused, failed or does not agree, 2 when it was not understood.
 */
loadDotEnv()
const argv = process.argv.slice(2)
if (argv.length === 0 || argv.includes('--help') || argv[0] === 'help') {
  process.stdout.write(usage)
} else {
  try {
    process.exitCode = await withDatabase(async (url) => {
      await using running = new AsyncDisposableStack()
      const product = await openProduct(url, running)
      const actor = `cli:${userInfo().username}`
      return await runSupport(product, argv, { actor, say: (line) => process.stdout.write(`${line}\n`) })
    })
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    if (error instanceof UsageError) process.stderr.write(`\n${usage}`)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}

import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, gzipSync } from 'node:zlib'
import { createDatabase } from '../../scripts/database.ts'
import { callerOf, openBrowser, signIn } from '../../scripts/demo/caller.ts'
import { demoDays, playDemo } from '../../scripts/demo/play.ts'
import { repositoryRoot } from '../../scripts/launch/script.ts'
import { launchAtStandIns, makeDataFolder } from '../../scripts/launch/throwaway.ts'
import { startPostgres } from '../../scripts/postgres.ts'
import { waitUntil } from '../support/wait-until.ts'
import { firstLine, keptFolder } from './kept.ts'

/**
 * `npm run keep-dump`: runs the product, lets the people of the demo live through their three months, and keeps
 * the database as this version left it. `pg_dump` has to be that of the oldest Postgres that is supported, whose
 * dump every later one reads: Debian's package postgresql-15.
 */
const programs = '/usr/lib/postgresql/15/bin'
const run = promisify(execFile)
const git = async (...args: string[]) => (await run('git', args, { cwd: repositoryRoot })).stdout.trim()

if (await git('status', '--porcelain', '--', 'schema', 'server', 'worker'))
  throw new Error('Commit first: the dump names the commit whose server the upgrade test starts beside it.')
const { default: about } = await import('../../package.json', { with: { type: 'json' } })
const commit = await git('rev-parse', 'HEAD')
const sql = await dumpDemo()
const packed = gzipSync(`${firstLine({ version: about.version, commit })}\n${sql}`, {
  level: constants.Z_BEST_COMPRESSION,
})
const file = join(keptFolder, `${about.version}.sql.gz`)
await writeFile(file, packed)
console.log(`${file}: ${Math.round(packed.length / 1000)} kB, of commit ${commit}`)

async function dumpDemo(): Promise<string> {
  await using running = new AsyncDisposableStack()
  const dataDir = await makeDataFolder()
  running.defer(() => rm(dataDir, { recursive: true, force: true }))
  const postgres = await startPostgres({
    dataDir: join(dataDir, 'postgres-15'),
    binaries: { postgres: join(programs, 'postgres'), initdb: join(programs, 'initdb') },
    initdb: ['--encoding=UTF8', '--locale=C'],
    durable: false,
  })
  running.defer(() => postgres.stop())
  await createDatabase({ adminUrl: postgres.url, name: 'tidemark' })
  const url = postgres.urlOf('tidemark')
  const lines: string[] = []
  const product = await launchAtStandIns({
    dataDir,
    env: {
      DATABASE_URL: url,
      SANDBOX_STRIPE_BEGINS_DAYS_AGO: String(demoDays),
      // As `holdAndAdjust` calls.
      METERED_BY: 'editor',
    },
    onLine: (line) => void lines.push(line),
  })
  try {
    await playDemo({ ...product, operatorKey: undefined, signal: AbortSignal.timeout(10 * 60_000) })
    await holdAndAdjust(product.url)
  } catch (error) {
    throw new Error(lines.slice(-50).join('\n'), { cause: error })
  } finally {
    await product.stop()
  }
  const dump = ['--no-owner', '--rows-per-insert=1000', `--dbname=${url}`]
  const { stdout } = await run(join(programs, 'pg_dump'), dump, { maxBuffer: 1e9 })
  // Commands for psql, which newer releases of pg_dump write.
  return stdout.replaceAll(/^\\.*\n/gm, '')
}

/** What the demo lacks: holds in each state, and acts of support that are done and that wait. */
async function holdAndAdjust(url: string): Promise<void> {
  const enter = async (name: string, email: string) => {
    const ask = openBrowser(url)
    await signIn(ask, { email, password: `tidemark-${name}-1` })
    return { ask, ...(await callerOf(ask, url)) }
  }
  const dana = await enter('demo', 'demo@tidemark.test')
  const { access_token } = await dana.call<{ access_token: string }>('/api/extension-token/generate', {})
  const headers = { authorization: `Bearer ${access_token}` }
  const hold = (path: string, data: object) =>
    dana.ask<{ hold: { id: string } }>(`/api/extension/holds${path}`, { headers, data })
  for (const ending of ['settle', 'release', null]) {
    const reserved = { credits: 20, payer: 'personal', idempotency_key: randomUUID() }
    const { id } = (await hold('', reserved)).hold
    if (ending) await hold(`/${id}/${ending}`, ending === 'settle' ? { credits: 13 } : {})
  }
  const sam = await enter('support', 'support@tidemark.test')
  const adjust = async (credits: number, state: string) => {
    const id = randomUUID()
    const adjustment = { credits, customer_note: 'With our apologies' }
    const targets = [{ kind: 'user', id: dana.userId }]
    const reason = 'An evening was lost to an outage'
    await sam.call('/api/support/acts', { id, kind: 'adjust', targets, reason, params: { adjustment } })
    await waitUntil(async () => {
      const found = await sam.call<{ data: { acts: { state: string }[] } }>(`/api/support/acts?id=${id}`)
      return found.data.acts[0]?.state === state
    }, `an adjustment of ${credits} that is ${state}`)
  }
  await adjust(100, 'done')
  await adjust(6000, 'waiting_for_approval')
}

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { marked } from 'marked'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { repositoryRoot } from '../../scripts/launch/script.ts'
import { type RunningPostgres, startPostgres } from '../../scripts/postgres.ts'
import { clerkSandboxVariables, stripeSandboxVariables } from '../../scripts/sandbox-environment.ts'
import { madeOnce } from '../support/made.ts'
import { startClerk } from '../support/services/clerk.ts'
import { startStripe } from '../support/services/stripe.ts'

const read = (path: string) => readFile(join(repositoryRoot, path), 'utf8')
const documents = {
  readme: await read('README.md'),
  goingLive: await read('docs/going-live.md'),
  operations: await read('docs/operations.md'),
  compose: await read('docker-compose.yml'),
}
const found = (document: string, pattern: RegExp): string => {
  const [, text] = pattern.exec(document) ?? []
  if (!text) throw new Error(`No document says ${pattern}`)
  return text
}

const debian = '/usr/lib/postgresql/15/bin'

/** The flags of the compose file, with its folder of backups and its defaults replaced. */
function composeSettings(backup: string): Record<string, string> {
  const command = found(documents.compose, /image: postgres:[\s\S]*?command:\n([\s\S]*?)\n {4}environment:/)
  const flags = [...command.matchAll(/^ {6}- (\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
    name,
    value.replace(/\$\{\w+:-([^}]*)\}/g, '$1').replaceAll('/backup', backup),
  ])
  expect(flags.map(([name]) => name)).toContain('archive_command')
  return Object.fromEntries(flags)
}

interface Cluster {
  readonly name: string
  readonly isMissing?: boolean
  start(folder: string): Promise<RunningPostgres>
  /** What the document writes after the name and owner of the new database. */
  readonly createDatabase: RegExp
}

const clusters: readonly Cluster[] = [
  {
    name: 'Debian’s Postgres 15',
    isMissing: !existsSync(debian),
    start: (dataDir) =>
      startPostgres({
        dataDir,
        binaries: { postgres: join(debian, 'postgres'), initdb: join(debian, 'initdb') },
        // As Debian's package makes its cluster on a machine without a language.
        initdb: ['--locale=C'],
      }),
    createDatabase: /^-- before Postgres 17: … (.*)$/m,
  },
  {
    name: 'Postgres 18 with the flags of the compose file',
    async start(dataDir) {
      const backup = join(dataDir, 'backup')
      await mkdir(join(backup, 'log'), { recursive: true })
      await chmod(backup, 0o777)
      await chmod(join(backup, 'log'), 0o777)
      const initdb = found(documents.compose, /POSTGRES_INITDB_ARGS: (.*)/).split(' ')
      return startPostgres({ dataDir, initdb, settings: composeSettings(backup) })
    },
    createDatabase: /^CREATE DATABASE tidemark OWNER tidemark (.*);$/m,
  },
]

/** Whose address is the DATABASE_URL of a command. */
type LoginName = 'owner' | 'server' | 'worker'

interface Command {
  readonly document: keyof typeof documents
  readonly command: string
  readonly login: LoginName
  /** 0 unless it is said. */
  readonly code?: number
  readonly says?: RegExp
}

const commands: readonly Command[] = [
  { document: 'operations', command: 'node scripts/migrate.ts', login: 'owner', says: /up to date/ },
  { document: 'goingLive', command: 'npm run stripe:setup', login: 'server' },
  {
    document: 'goingLive',
    command: 'npm run doctor',
    login: 'server',
    code: 1,
    says: /it answers, with every migration/,
  },
  { document: 'operations', command: 'npm run ledger:verify', login: 'owner', says: /The books are right/ },
  {
    document: 'operations',
    command: 'npm run ledger:verify',
    login: 'worker',
    code: 2,
    says: /it needs the login that owns the tables/,
  },
  { document: 'operations', command: 'npm run reconcile', login: 'worker', says: /No differences/ },
  { document: 'operations', command: 'npm run support -- help', login: 'owner', says: /trace/ },
  { document: 'operations', command: 'npm run support -- list --state failed', login: 'owner' },
  { document: 'operations', command: 'npm run support -- trace d@example.com', login: 'owner', code: 2 },
  { document: 'operations', command: 'npm run support -- replay evt_123 --dry-run', login: 'owner', code: 1 },
  {
    document: 'operations',
    command: 'npm run support -- replay evt_123 --reason "The bug of 12 November is repaired"',
    login: 'owner',
    code: 1,
  },
  {
    document: 'operations',
    command:
      'npm run support -- adjust user_123 --credits=200 --note "With our apologies" --reason "Ticket 4711: lost an evening"',
    login: 'owner',
    code: 1,
  },
  { document: 'operations', command: 'npm run restore:checkouts -- --since T', login: 'worker' },
  { document: 'operations', command: 'npm run restore:erasures --', login: 'worker' },
]

const statements = [
  'UPDATE extension_tokens SET revoked_at = now() WHERE revoked_at IS NULL',
  'SELECT datlocprovider, datcollate FROM pg_database',
  'SELECT * FROM pg_stat_archiver',
  "SELECT pid, state, wait_event_type, now() - query_start, query FROM pg_stat_activity WHERE state <> 'idle' ORDER BY 4 DESC",
  'VACUUM FULL bullmq.job',
]

/** Commands of code blocks that are not run here, by how they begin, and why. */
const notRun: Readonly<Record<string, string>> = {
  'npm start': 'the rehearsal of production beside this test starts it',
  'npm test': 'it runs tests',
  'npm run chaos': 'test:long has it as a part of its own',
  'git checkout': 'it names a release that may not be there yet',
  'docker ': 'no Docker engine is here: services and scripts that it names are looked up below',
  'TIDEMARK_REVISION=$(git rev-parse --short HEAD) docker compose build': 'the same',
  'old=$(docker compose ps --quiet ': 'the same',
}
const migrate = found(documents.goingLive, /```sh\n(DATABASE_URL=[\s\S]*?)```/)
const joined = (text: string) => text.replace(/\\\n\s*/g, '')

/** What the blocks of a document tell people to type; a block of another language has none. */
function commandsOf(document: string): string[] {
  const found: string[] = []
  marked.walkTokens(marked.lexer(document), (token) => {
    if (token.type !== 'code' || ['sql', 'yaml'].includes(token.lang ?? '')) return
    const lines = joined(token.text).split('\n')
    // The list of folders.
    if (!lines[0]?.startsWith('web/ ')) found.push(...lines.map((line) => line.replace(/\s+# .*$/, '')))
  })
  return found.filter((line) => line !== '')
}

test('every command in a block of the documents is run here, or named with the reason why it is not', () => {
  const all = [documents.readme, documents.goingLive, documents.operations].flatMap(commandsOf)
  const run = new Set([joined(migrate).trim(), ...commands.map(({ command }) => command)])
  const isNamed = (command: string) => Object.keys(notRun).some((begins) => command.startsWith(begins))
  expect(all.filter((command) => !run.has(command) && !isNamed(command))).toEqual([])
  expect(Object.keys(notRun).filter((begins) => !all.some((one) => one.startsWith(begins)))).toEqual([])
})

test('every compose command of the documents names services and scripts that are there', () => {
  const { services } = parse(documents.compose, { merge: true }) as { services: object }
  const texts = Object.values(documents).map(joined).join('\n')
  const composed = [...texts.matchAll(/docker compose ([^`\n#)]*)/g)].map(([, text = '']) => text)
  expect(composed.length).toBeGreaterThan(20)
  for (const text of composed) {
    const [kind = '', ...rest] = text.trim().split(/\s+/)
    expect(['build', 'exec', 'logs', 'ps', 'run', 'stop', 'up']).toContain(kind)
    const scaled = [...text.matchAll(/--scale (\w+)=\d/g)].map(([, name]) => name)
    const names = rest.filter(
      (word, at) => !word.startsWith('-') && !/--(scale|entrypoint)/.test(rest[at - 1] ?? ''),
    )
    const meant = /run|exec/.test(kind) ? names.slice(0, 1) : names
    for (const name of [...scaled, ...meant])
      expect([text, Object.keys(services)]).toEqual([text, expect.arrayContaining([name])])
    for (const [script] of text.matchAll(/scripts\/\S+\.ts/g))
      expect([script, existsSync(join(repositoryRoot, script))]).toEqual([script, true])
  }
})

function play(command: string, env: NodeJS.ProcessEnv): Promise<{ code: number; output: string }> {
  const path = [join(repositoryRoot, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  return new Promise((resolve) => {
    const options = { cwd: repositoryRoot, env: { HOME: process.env.HOME, ...env, PATH: path } }
    execFile('sh', ['-c', command], options, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: `${stdout}${stderr}` }),
    )
  })
}

describe.each(clusters)('every command of the documents, with $name', (cluster) => {
  const services = madeOnce(
    async () => ({ stripe: await startStripe(), clerk: await startClerk() }),
    async ({ stripe, clerk }) => {
      await stripe.stop()
      await clerk.stop()
    },
  )
  let folder: string
  let postgres: RunningPostgres
  let address: Record<LoginName, string>
  let environment: NodeJS.ProcessEnv

  const withSecrets = (text: string) =>
    text.replaceAll('…', 'secret').replaceAll('@db/', `@127.0.0.1:${postgres.port}/`)
  const query = async (url: string, text: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return client.query(text).finally(() => client.end())
  }

  beforeAll(async () => {
    if (cluster.isMissing) return
    folder = await mkdtemp(join(tmpdir(), 'tidemark-operator-'))
    await chmod(folder, 0o755)
    postgres = await cluster.start(folder)
    const block = found(documents.goingLive, /```sql\n([\s\S]*?)```/)
    const role = found(block, /^(CREATE ROLE .*;)$/m)
    const database = `CREATE DATABASE tidemark OWNER tidemark ${found(block, cluster.createDatabase)}`
    await query(postgres.url, withSecrets(role))
    await query(postgres.url, database)
    expect((await query(postgres.urlOf('tidemark'), 'SHOW server_encoding')).rows).toEqual([
      { server_encoding: 'UTF8' },
    ])
    const addressOf = (name: string) => `postgres://${name}:secret@127.0.0.1:${postgres.port}/tidemark`
    address = {
      owner: addressOf('tidemark'),
      server: addressOf('tidemark_server_login'),
      worker: addressOf('tidemark_worker_login'),
    }
    environment = {
      ...stripeSandboxVariables({ stripePort: services.stripe.port }),
      ...clerkSandboxVariables({ clerkPort: services.clerk.port }),
    }
  })
  afterAll(async () => {
    await postgres?.stop()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  test('the commands of the documents do what they say, each of them twice, with the login that is named', async ({
    skip,
  }) => {
    if (cluster.isMissing) return skip(`no ${debian}`)
    const migration = withSecrets(migrate)
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
    const failures: string[] = []
    const twice = async (
      command: string,
      wish: Omit<Command, 'document' | 'command'>,
      env: NodeJS.ProcessEnv,
    ) => {
      for (const time of ['first', 'second']) {
        const { code, output } = await play(command, env)
        const isRaw = /\n {4}at |permission denied|Cannot find|must be /.test(output)
        if (code !== (wish.code ?? 0) || isRaw || (wish.says && !wish.says.test(output)))
          failures.push(`${command}, the ${time} time as ${wish.login}: ${code}\n${output}`)
      }
    }
    await twice(migration, { login: 'owner' }, {})
    for (const { document, command, ...wish } of commands) {
      expect(documents[document]).toContain(command)
      const literal = command.replace(/ T$/, ` ${hourAgo}`).replace(/erasures --$/, '$& user_1')
      await twice(literal, wish, { ...environment, DATABASE_URL: address[wish.login] })
    }
    for (const statement of statements) {
      expect(documents.operations).toContain(statement)
      for (let time = 0; time < 2; time++)
        await query(address.owner, statement).catch((error: Error) =>
          failures.push(`${statement}: ${error.message}`),
        )
    }
    // A queue is deleted whole, and the migration makes it again.
    for (let time = 0; time < 2; time++) {
      await query(address.owner, 'DROP SCHEMA bullmq CASCADE')
      await twice(migration, { login: 'owner' }, {})
      await query(address.server, 'SET ROLE tidemark_server; SELECT count(*) FROM bullmq.job')
    }
    expect(failures).toEqual([])
  })

  test('the migration of the compose file works twice with the superuser that the image makes', async ({
    skip,
  }) => {
    if (cluster.isMissing) return skip(`no ${debian}`)
    const command = found(documents.compose, /command: \[node, (scripts\/migrate\.ts)\]/)
    await query(postgres.url, 'CREATE DATABASE composed')
    const inComposed = (url: string) => url.replace(/tidemark$/, 'composed')
    const env = {
      NODE_ENV: 'production',
      DATABASE_URL: postgres.urlOf('composed'),
      DATABASE_SERVER_URL: inComposed(address.server),
      DATABASE_WORKER_URL: inComposed(address.worker),
    }
    for (let time = 0; time < 2; time++) expect(await play(`node ${command}`, env)).toMatchObject({ code: 0 })
  })

  test('a login whose password is changed and migrated has the new one alone', async ({ skip }) => {
    if (cluster.isMissing) return skip(`no ${debian}`)
    const changed = address.server.replace('secret', 'another')
    const env = { DATABASE_URL: address.owner, DATABASE_SERVER_URL: changed }
    for (let time = 0; time < 2; time++)
      expect(await play('npm run db:migrate', env)).toMatchObject({ code: 0 })
    await query(changed, 'SELECT 1')
    await expect(query(address.server, 'SELECT 1')).rejects.toThrow('password')
  })
})

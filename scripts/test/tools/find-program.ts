import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'

/** Something that tests need from the machine: where it is, or why it is missing. */
export type Tool =
  | { readonly found: true; readonly value: string }
  | { readonly found: false; readonly reason: string }

const run = promisify(execFile)
/** Folders of programs that a minimal PATH leaves out. */
const usualFolders = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/opt/homebrew/bin',
  '/snap/bin',
]

/** The first program that exists and runs; on some systems it is a stub that asks for an install. */
export async function findProgram(
  names: readonly string[],
  probe = '--version',
): Promise<string | undefined> {
  const folders = [...new Set([...(process.env.PATH ?? '').split(delimiter), ...usualFolders])]
  for (const name of names) {
    const paths = isAbsolute(name) ? [name] : folders.filter(Boolean).map((folder) => join(folder, name))
    for (const path of paths) {
      if (await runs(path, probe)) return path
    }
  }
  return undefined
}

async function runs(path: string, probe: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    await run(path, [probe], { timeout: 30_000 })
    return true
  } catch {
    return false
  }
}

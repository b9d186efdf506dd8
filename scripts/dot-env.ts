import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from './launch/script.ts'

/** Reads `.env` beside the package when there is one; variables that are already set keep their values. */
export function loadDotEnv(): void {
  const file = join(repositoryRoot, '.env')
  if (existsSync(file)) process.loadEnvFile(file)
}

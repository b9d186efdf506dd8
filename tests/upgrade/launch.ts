import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as throwaway from '../../scripts/launch/throwaway.ts'

/**
 * `node launch.ts ROOT DATABASE_URL`: launches the product of another checkout at a database, says where it is,
 * and stops it at SIGTERM. A process of its own, because both versions have the same modules.
 */
const [root = '', databaseUrl = ''] = process.argv.slice(2)
process.chdir(root)
const file = pathToFileURL(join(root, 'scripts/launch/throwaway.ts')).href
const { launchThrowaway }: typeof throwaway = await import(file)
const logFile = join(tmpdir(), `tidemark-upgrade-${process.pid}.log`)
const { stop, ...product } = await launchThrowaway({ logFile, databaseUrl })
process.once('SIGTERM', () => stop().finally(() => process.exit()))
console.log(JSON.stringify({ ...product, logFile }))

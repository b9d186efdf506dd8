import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const oldestNode = 20
const pinnedNode = 24
const root = resolve(fileURLToPath(import.meta.url), '../..')
export const modules = join(root, 'node_modules')
/** Where the programs of the install are, the pinned node among them. */
export const bin = join(modules, '.bin')
export const windows = process.platform === 'win32'

/**
 * Installs what package-lock.json names when that is not what node_modules holds. `scripts/run.mjs` calls it
 * before every npm script, on any Node from 20 on.
 */
export function bootstrap() {
  checkNode()
  if (!isInstalled()) withLock(() => isInstalled() || install())
}

function checkNode() {
  const major = Number(process.versions.node.split('.')[0])
  if (major < oldestNode) {
    fail(`Node ${oldestNode} or newer is needed to install the rest; this is ${process.versions.node}.`)
  }
}

/**
 * npm writes what it installed into a lockfile of its own when it is done, so a clone is complete when that
 * file holds every package of ours in the same version. After an install by hand there is no second one.
 */
function isInstalled() {
  const wanted = readPackages(join(root, 'package-lock.json'))
  const installed = readPackages(join(modules, '.package-lock.json'))
  if (!wanted) fail('package-lock.json is missing; is this a complete clone?')
  if (!installed || !isPinned(readVersion())) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true
    const found = installed[path]
    return found ? found.version === entry.version : Boolean(entry.optional || entry.devOptional)
  })
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages
  } catch {
    return undefined
  }
}

/**
 * Installs what the lockfile names, with every setting spelled out that the user's own npm configuration
 * could have turned against us. Not `npm ci`: it refuses a lockfile without the native packages of every
 * platform, and a registry mirror need not have those of other platforms. Afterwards it is checked that the
 * versions are those of the lockfile.
 */
function install() {
  const started = Date.now()
  say('installing dependencies (the first time this takes a minute) …')
  if (existsSync(modules) && !isPinned(readVersion())) rmSync(modules, { recursive: true, force: true })
  const cache = writableCache()
  const flags = [
    '--no-save',
    '--package-lock=true',
    '--include=dev',
    '--include=optional',
    '--ignore-scripts=false',
    '--bin-links=true',
    '--install-strategy=hoisted',
    '--global=false',
    '--dry-run=false',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    ...(cache ? [`--cache=${cache}`] : []),
  ]
  const result = runNpm(['install', ...flags])
  if (result.error || result.status !== 0) {
    const output = `${result.stdout || ''}${result.stderr || ''}`.trim()
    fail(`npm install failed${result.error ? `: ${result.error.message}` : ''}\n${output}`)
  }
  if (!isInstalled()) {
    fail('npm did not install what package-lock.json names; remove node_modules and try again')
  }
  say(`installed in ${((Date.now() - started) / 1000).toFixed(1)} s`)
}

/** The pinned node is in the folder that npm changes, so npm runs on the machine's own. */
function runNpm(args) {
  const path = (process.env.PATH || '')
    .split(delimiter)
    .filter((folder) => !/[\\/]node_modules[\\/]/.test(`${folder}/`))
    .join(delimiter)
  const options = {
    cwd: root,
    env: { ...process.env, PATH: path },
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'pipe'],
  }
  const result = spawnSync('npm', args, { ...options, shell: windows })
  const cli = process.env.npm_execpath
  if (result.error && result.error.code === 'ENOENT' && cli && existsSync(cli)) {
    return spawnSync(process.execPath, [cli, ...args], options)
  }
  return result
}

/** A home that is missing or read-only is no reason to fail: npm's cache is then kept in the clone. */
function writableCache() {
  const usual = process.env.npm_config_cache || join(homedir() || '/nonexistent', '.npm')
  try {
    mkdirSync(join(usual, '_cacache'), { recursive: true })
    accessSync(join(usual, '_cacache'), constants.W_OK)
    return undefined
  } catch {
    return join(root, '.data', 'npm-cache')
  }
}

/** Two terminals on a new clone must not install over each other; the second waits for the first. */
function withLock(work) {
  const lock = join(root, '.data', 'install.lock')
  mkdirSync(join(root, '.data'), { recursive: true })
  for (let waited = 0; !takeLock(lock); waited += 1) {
    if (waited === 1) say('another install is running in this clone; waiting for it …')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  }
  const release = () => rmSync(lock, { force: true })
  process.once('exit', release)
  work()
  release()
}

function takeLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  try {
    const owner = Number(readFileSync(lock, 'utf8'))
    if (owner > 0) process.kill(owner, 0)
  } catch (error) {
    if (error.code === 'ESRCH') rmSync(lock, { force: true })
  }
  return false
}

/**
 * Undefined when there is none, or none that this machine can execute (a folder copied from another system).
 */
function readVersion() {
  const found = spawnSync(join(bin, windows ? 'node.cmd' : 'node'), ['--version'], {
    encoding: 'utf8',
    shell: windows,
  })
  return found.status === 0 ? found.stdout : undefined
}

function isPinned(version) {
  return Number(/^v(\d+)\./.exec(version || '')?.[1]) >= pinnedNode
}

function say(text) {
  process.stderr.write(`setup: ${text}\n`)
}

function fail(text) {
  process.stderr.write(`setup: ${text}\n`)
  process.exit(1)
}

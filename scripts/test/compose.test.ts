import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { repositoryRoot } from '../launch/script.ts'

const compose = readFileSync(join(repositoryRoot, 'docker-compose.yml'), 'utf8')
/** The text of each service, by its name. */
const services = Object.fromEntries(
  [
    ...(/^services:\n(.*?)^\w/ms.exec(compose)?.[1] ?? '').matchAll(
      /^ {2}(\w+):\n(.*?)(?=^ {2}\w|(?![\s\S]))/gms,
    ),
  ].map(([, name = '', text = '']) => [name, text]),
)
const shared = /^x-environment:.*?\n\n/ms.exec(compose)?.[0] ?? ''

test('the proxy is the only published service, and it passes on only the port that is meant for people', () => {
  expect(Object.keys(services)).toEqual([
    'proxy',
    'postgres',
    'backup',
    'redis',
    'migrate',
    'server',
    'worker',
  ])
  expect(Object.keys(services).filter((name) => services[name]?.includes('ports:'))).toEqual(['proxy'])
  const caddyfile = readFileSync(join(repositoryRoot, 'Caddyfile'), 'utf8')
  expect([...caddyfile.matchAll(/\bport (\d+)/g)].map(([, port]) => port)).toEqual(['3000'])
  expect(services.server).toContain('PORT: "3000"')
  expect(shared).toContain('METRICS_PORT: "9464"')
})

test('server and worker know one login each, and no other password', () => {
  expect(services.server).toContain('DATABASE_URL: *server_login')
  expect(services.worker).toContain('DATABASE_URL: *worker_login')
  for (const name of ['server', 'worker']) {
    expect(services[name]).toContain('<<: *environment')
    expect(services[name]).not.toMatch(/PASSWORD|tidemark:/)
  }
  const secrets = [...compose.matchAll(/\$\{(\w+_PASSWORD):\?/g)].map(([, secret]) => secret ?? '')
  expect(new Set(secrets)).toEqual(
    new Set(['POSTGRES_PASSWORD', 'SERVER_DATABASE_PASSWORD', 'WORKER_DATABASE_PASSWORD', 'REDIS_PASSWORD']),
  )
  for (const secret of secrets) expect(shared).toContain(`${secret}: ""`)
})

interface Service {
  readonly entrypoint?: readonly string[]
  readonly volumes?: readonly string[]
  readonly network_mode?: string
  readonly image?: string
  readonly security_opt?: readonly string[]
  readonly cap_drop?: readonly string[]
  readonly read_only?: boolean
  readonly logging?: { readonly options: Record<string, string> }
  readonly command?: readonly string[]
  readonly healthcheck?: object
  readonly environment?: Record<string, string>
  readonly stop_grace_period?: string
}
const read = parse(compose, { merge: true }) as { services: Record<string, Service> }

test.each(Object.entries(read.services))(
  'the service %s gains no rights, writes to its volumes alone and bounds its log',
  (_, service) => {
    expect(service.security_opt).toEqual(['no-new-privileges:true'])
    expect(service.cap_drop).toEqual(['ALL'])
    expect(service.read_only).toBe(true)
    expect(service.logging?.options).toEqual({ 'max-size': '20m', 'max-file': '5' })
  },
)

test('images have exact tags, and what is installed is what the lock says', () => {
  const images = Object.values(read.services).flatMap(({ image = '' }) =>
    image === `tidemark:\${TIDEMARK_VERSION:-${packageJson.version}}` ? [] : [image],
  )
  // Postgres has two numbers since version 10, the others have three.
  for (const image of images) expect(image).toMatch(/^(postgres:\d+\.\d+|\w+:\d+\.\d+\.\d+)$/)
  const dockerfile = readFileSync(join(repositoryRoot, 'Dockerfile'), 'utf8')
  for (const [, from] of dockerfile.matchAll(/^FROM (\S+)/gm))
    expect(from).toMatch(/^node:\d+\.\d+\.\d+-slim$/)
  expect(dockerfile.match(/npm \w+/g)).toEqual(['npm ci', 'npm ci'])
})

test('the lockfile has the native packages of every platform, without which npm ci refuses it', () => {
  const lock = JSON.parse(readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>
  }
  const names = new Set(Object.keys(lock.packages).map((path) => path.split('node_modules/').at(-1) ?? ''))
  const missing = Object.values(lock.packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies).filter((name) => !names.has(name)),
  )
  expect(missing).toEqual([])
})

/** The file is only parsed: no engine runs it here. */
test('Postgres archives its log where the backup service keeps base backups, which knows no password', () => {
  const { postgres, backup } = read.services
  const settings = (postgres?.command ?? []).filter((argument) => argument.includes('='))
  expect(settings).toContain('archive_mode=on')
  expect(settings).toContain('archive_timeout=60')
  expect(settings.find((setting) => setting.startsWith('archive_command='))).toContain('/backup/log/%f')
  for (const volume of ['backup:/backup', 'socket:/var/run/postgresql']) {
    expect(postgres?.volumes).toContain(volume)
    expect(backup?.volumes).toContain(volume)
  }
  expect(backup?.image).toBe(postgres?.image)
  expect(backup?.network_mode).toBe('none')
  expect(services.backup).not.toMatch(/PASSWORD|env_file/)
  const [, script = ''] = /^\.\/(\S+):\/backup\.sh:ro$/.exec(backup?.volumes?.[0] ?? '') ?? []
  expect(readFileSync(join(repositoryRoot, script), 'utf8')).toContain('pg_basebackup')
})

test('Redis asks for a password, and every service that stays has a health check', () => {
  const { migrate, ...staying } = read.services
  expect(migrate).toBeDefined()
  expect(read.services.redis?.command).toContain('--requirepass')
  expect(Object.keys(staying).filter((name) => !staying[name]?.healthcheck)).toEqual([])
})

test('a server that stops answers until the proxy has looked for others, and has the time for it', () => {
  const { environment, stop_grace_period } = read.services.server ?? {}
  const delayMs = Number(environment?.DRAIN_DELAY_MS)
  const caddyfile = readFileSync(join(repositoryRoot, 'Caddyfile'), 'utf8')
  expect(delayMs).toBeGreaterThan(Number(/refresh (\d+)s/.exec(caddyfile)?.[1]) * 1000)
  // One second for kept connections, ten for open requests.
  expect(Number.parseInt(stop_grace_period ?? '', 10) * 1000).toBeGreaterThan(delayMs + 11_000)
})

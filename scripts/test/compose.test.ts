import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
  expect(Object.keys(services)).toEqual(['proxy', 'postgres', 'redis', 'migrate', 'server', 'worker'])
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
  // It has the server's password in it.
  expect(shared).toContain('DATABASE_READ_URL: ""')
  expect(services.server).toMatch(/DATABASE_READ_URL: \$\{DATABASE_READ_URL:-\}/)
  const secrets = [...compose.matchAll(/\$\{(\w+_PASSWORD):\?/g)].map(([, secret]) => secret ?? '')
  expect(new Set(secrets)).toEqual(
    new Set(['POSTGRES_PASSWORD', 'SERVER_DATABASE_PASSWORD', 'WORKER_DATABASE_PASSWORD']),
  )
  for (const secret of secrets) expect(shared).toContain(`${secret}: ""`)
})

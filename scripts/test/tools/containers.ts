import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Tool } from './find-program.ts'

const patience_ms = 5_000

/** Whether a Docker engine answers, within a time limit. Loads nothing without a sign of an engine. */
export async function findDocker(): Promise<Tool> {
  const sockets = [
    '/var/run/docker.sock',
    join(homedir(), '.docker/run/docker.sock'),
    join(process.env.XDG_RUNTIME_DIR ?? '/nonexistent', 'docker.sock'),
  ]
  if (!process.env.DOCKER_HOST && !process.env.TESTCONTAINERS_HOST_OVERRIDE && !sockets.some(existsSync)) {
    return { found: false, reason: 'no Docker engine' }
  }
  try {
    const { getContainerRuntimeClient } = await import('testcontainers')
    const client = await Promise.race([getContainerRuntimeClient(), timeout()])
    return { found: true, value: client.info.containerRuntime.host }
  } catch (error) {
    return {
      found: false,
      reason: `Docker does not answer (${error instanceof Error ? error.message : error})`,
    }
  }
}

function timeout(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error('timed out')), patience_ms).unref()
  })
}

export type RunningContainer = { readonly url: string; readonly stop: () => Promise<void> }

export async function startPostgresContainer(): Promise<RunningContainer> {
  const { GenericContainer, Wait } = await import('testcontainers')
  const container = await new GenericContainer('postgres:18-alpine')
    .withEnvironment({ POSTGRES_PASSWORD: 'test' })
    .withExposedPorts(5432)
    .withCommand([
      'postgres',
      '-c',
      'fsync=off',
      '-c',
      'wal_level=minimal',
      '-c',
      'max_wal_senders=0',
      '-c',
      'max_connections=200',
    ])
    .withTmpFs({ '/var/lib/postgresql': 'rw' })
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
    .start()
  const address = `${container.getHost()}:${container.getMappedPort(5432)}`
  return {
    url: `postgres://postgres:test@${address}/postgres`,
    stop: async () => {
      await container.stop()
    },
  }
}

export async function startRedisContainer(): Promise<RunningContainer> {
  const { GenericContainer, Wait } = await import('testcontainers')
  const container = await new GenericContainer('redis:8-alpine')
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
    .start()
  return {
    url: `redis://${container.getHost()}:${container.getMappedPort(6379)}`,
    stop: async () => {
      await container.stop()
    },
  }
}

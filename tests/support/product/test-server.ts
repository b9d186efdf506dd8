import { z } from 'zod'
import { addressOf, type BodyInputOf, type Endpoint, type ResponseOf } from '../../../schema/api/endpoint.ts'
import { processEnvironment } from '../../../schema/env.ts'
import { createLogger } from '../../../schema/log.ts'
import { clerkSandboxVariables, stripeSandboxVariables } from '../../../scripts/sandbox-environment.ts'
import { createApp } from '../../../server/app.ts'
import { type Dependencies, openDependencies } from '../../../server/dependencies.ts'
import { listen } from '../../../server/listen.ts'
import { createMonitoringApp } from '../../../server/monitoring.ts'
import { createRateLimits } from '../../../server/rate-limits.ts'
import type { Settings } from '../../../server/settings.ts'
import { testAppUrl } from '../services/sandbox.ts'

export interface TestServer extends AsyncDisposable {
  readonly url: string
  readonly monitoringUrl: string
  readonly deps: Dependencies
  /** Everything it logged, parsed. */
  readonly logs: readonly Record<string, unknown>[]
  /** Calls an endpoint as a browser would and returns the answer as it is. */
  api(endpoint: Endpoint, request?: ApiRequest<unknown>): Promise<ApiAnswer>
  /** Calls an endpoint that must succeed, and checks the answer against its contract. */
  ask<E extends Endpoint>(endpoint: E, request?: ApiRequest<BodyInputOf<E>>): Promise<ResponseOf<E>>
  close(): Promise<void>
}

export interface ApiRequest<Body> {
  readonly token?: string
  readonly body?: Body
  readonly params?: Record<string, string>
  readonly query?: Record<string, string>
  readonly headers?: Record<string, string>
}

export interface ApiAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

export interface TestServerOptions {
  readonly databaseUrl: string
  readonly redisUrl?: string | undefined
  /** Sandboxes, by port; one that is left out is unreachable. */
  readonly stripe?: { readonly port: number }
  readonly clerk?: { readonly port: number }
  readonly port?: number
  readonly env?: Record<string, string>
  readonly settings?: Partial<Settings>
  readonly deps?: Partial<Dependencies>
}

/** Calls an endpoint as a browser would. */
export async function callApi(
  url: string,
  endpoint: Endpoint,
  request: ApiRequest<unknown> = {},
  signal: AbortSignal | null = null,
): Promise<ApiAnswer> {
  const query = request.query ? `?${new URLSearchParams(request.query)}` : ''
  const response = await fetch(`${url}${addressOf(endpoint, request.params)}${query}`, {
    method: endpoint.method,
    signal,
    headers: {
      ...(request.token && { authorization: `Bearer ${request.token}` }),
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
  })
  const isFile = response.ok && endpoint.file !== undefined
  const body: unknown = isFile ? await response.text() : await response.json()
  return { status: response.status, headers: response.headers, body }
}

/** Calls an endpoint that must succeed, and checks the answer against its contract. */
export async function askApi<E extends Endpoint>(
  url: string,
  endpoint: E,
  request: ApiRequest<BodyInputOf<E>> = {},
): Promise<ResponseOf<E>> {
  const { status, body } = await callApi(url, endpoint, request)
  if (status !== 200) throw new Error(`${endpoint.path}: ${status} ${JSON.stringify(body)}`)
  return z.parse(endpoint.response, body) as ResponseOf<E>
}

/** No process listens on this port. */
const unreachable = { port: 1 }
const unlimited = {
  page: 1e6,
  read: 1e6,
  write: 1e6,
  checkout: 1e6,
  auth: 1e6,
  sign_in: 1e6,
  extension: 1e6,
  operator: 1e6,
}

/** The real application on a real socket, with the real database and queue of the test. */
export async function startTestServer(options: TestServerOptions): Promise<TestServer> {
  const env = processEnvironment({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    APP_URL: testAppUrl,
    DATABASE_URL: options.databaseUrl,
    REDIS_URL: options.redisUrl ?? '',
    ...stripeSandboxVariables({ stripePort: (options.stripe ?? unreachable).port }),
    ...clerkSandboxVariables({ clerkPort: (options.clerk ?? unreachable).port }),
    METERED_BY: 'editor',
    ...options.env,
  })
  const opened = openDependencies(env)
  const logs: Record<string, unknown>[] = []
  const deps: Dependencies = {
    ...opened.deps,
    log: createLogger({
      process: 'server',
      level: 'debug',
      destination: { write: (line) => logs.push(JSON.parse(line)) },
    }),
    limits: createRateLimits({ perMinute: unlimited }),
    ...options.deps,
    // A loaded machine must not be mistaken for an unreachable service.
    settings: {
      ...opened.deps.settings,
      ready_answer_ms: 0,
      probe_limit_ms: 20_000,
      enqueue_limit_ms: 20_000,
      ...options.settings,
    },
  }
  const server = await listen(createApp(deps).callback(), { host: env.HOST, port: options.port ?? 0 }, deps)
  const monitoring = await listen(createMonitoringApp(deps).callback(), { host: '127.0.0.1', port: 0 }, deps)
  const url = `http://127.0.0.1:${server.port}`

  const close = async () => {
    const now = { limit_ms: 0, grace_ms: 0 }
    await Promise.all([server.close({ ...now, limit_ms: 2000 }), monitoring.close(now)])
    await opened.close()
  }
  return {
    url,
    monitoringUrl: `http://127.0.0.1:${monitoring.port}`,
    deps,
    logs,
    api: (endpoint, request) => callApi(url, endpoint, request),
    ask: (endpoint, request) => askApi(url, endpoint, request),
    close,
    [Symbol.asyncDispose]: close,
  }
}

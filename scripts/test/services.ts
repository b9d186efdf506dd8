import { rm } from 'node:fs/promises'
import { startPostgres } from '../postgres.ts'
import { startWatchdog } from '../processes/watchdog.ts'
import type { Service } from './part.ts'
import type { PartResult } from './summary.ts'
import { findChromium } from './tools/chromium.ts'
import { findDocker, startPostgresContainer, startRedisContainer } from './tools/containers.ts'
import type { Tool } from './tools/find-program.ts'
import { findRedis, startRedis } from './tools/redis.ts'
import { makeScratchFolder } from './tools/scratch-folder.ts'

/** Starts the services that the tests need; an install goes on while the static checks run. */
export function startServices(options: {
  readonly needs: ReadonlySet<Service>
  readonly say: (message: string) => void
}) {
  const running = new AsyncDisposableStack()
  const watchdog = startWatchdog()
  running.defer(() => watchdog.close())
  const context: Context = { say: options.say, running, watch: (pid) => watchdog.watch(pid, 1, 'SIGINT') }
  const unneeded: Promise<Tool> = Promise.resolve({ found: false, reason: 'not needed' })
  const docker = options.needs.has('postgres') ? findDocker() : unneeded
  const tools: Record<Service, Promise<Tool>> = {
    postgres: options.needs.has('postgres') ? bringPostgres(context, docker) : unneeded,
    redis: options.needs.has('redis') ? bringRedis(context, docker) : unneeded,
    chromium: options.needs.has('chromium') ? bringChromium(context) : unneeded,
  }
  return {
    /** The environment of a part's processes; waits for the services that the part needs. */
    environment: async (needs: readonly Service[]): Promise<NodeJS.ProcessEnv> => {
      const entries = await Promise.all(needs.map(async (need) => variablesOf(need, await tools[need])))
      return Object.assign({}, process.env, ...entries)
    },
    /** In CI a missing service is a failed test of its own. */
    results: async () => {
      if (!process.env.CI) return []
      const missing: PartResult[] = []
      for (const need of options.needs) {
        const tool = await tools[need]
        if (tool.found) continue
        options.say(`${need} is not available: ${tool.reason}`)
        const name = `${need} is available`
        const failures = [{ name, message: tool.reason }]
        missing.push({ name, counts: { passed: 0, failed: 1, skipped: 0, skips: [], failures }, seconds: 0 })
      }
      return missing
    },
    stop: async () => {
      await Promise.allSettled(Object.values(tools))
      await running.disposeAsync()
    },
  }
}

type Context = {
  readonly say: (message: string) => void
  readonly running: AsyncDisposableStack
  readonly watch: (pid: number) => void
}

function variablesOf(service: Service, tool: Tool): NodeJS.ProcessEnv {
  const name = { postgres: 'TEST_DATABASE', redis: 'TEST_REDIS', chromium: 'TEST_CHROMIUM' }[service]
  const kind = service === 'chromium' ? 'PATH' : 'URL'
  return tool.found ? { [`${name}_${kind}`]: tool.value } : { [`${name}_REASON`]: tool.reason }
}

async function bringPostgres(context: Context, docker: Promise<Tool>): Promise<Tool> {
  const given = process.env.TEST_DATABASE_URL
  if (given) return { found: true, value: given }
  const container = await tryContainer(context, docker, startPostgresContainer)
  if (container) return container
  const dataDir = await makeScratchFolder('tidemark-postgres')
  context.running.defer(() => rm(dataDir, { recursive: true, force: true }))
  const postgres = await startPostgres({ dataDir, durable: false })
  context.watch(postgres.pid)
  context.running.defer(() => postgres.stop())
  return { found: true, value: postgres.url }
}

async function bringRedis(context: Context, docker: Promise<Tool>): Promise<Tool> {
  const given = process.env.TEST_REDIS_URL
  if (given) return { found: true, value: given }
  const container = await tryContainer(context, docker, startRedisContainer)
  if (container) return container
  const program = await findRedis({ install: true, say: context.say })
  if (!program.found) return unavailable(context, 'The tests on Redis are skipped', program.reason)
  const redis = await startRedis({ program: program.value })
  context.watch(redis.pid)
  context.running.defer(() => redis.stop())
  return { found: true, value: redis.url }
}

async function bringChromium(context: Context): Promise<Tool> {
  const given = process.env.TEST_CHROMIUM_PATH
  if (given) return { found: true, value: given }
  const chromium = await findChromium({ install: true, say: context.say })
  return chromium.found ? chromium : unavailable(context, 'The browser tests are skipped', chromium.reason)
}

function unavailable(context: Context, consequence: string, reason: string): Tool {
  context.say(`!! ${consequence}: ${reason}`)
  return { found: false, reason }
}

/** An engine that answers may still have no image and no network to get one from. */
async function tryContainer(
  context: Context,
  docker: Promise<Tool>,
  start: () => Promise<{ url: string; stop: () => Promise<void> }>,
): Promise<Tool | undefined> {
  if (!(await docker).found) return undefined
  try {
    const container = await start()
    context.running.defer(() => container.stop())
    return { found: true, value: container.url }
  } catch (error) {
    context.say(`Docker answers, but no container starts (${error instanceof Error ? error.message : error})`)
    return undefined
  }
}

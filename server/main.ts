import { setTimeout } from 'node:timers/promises'
import { build } from '../schema/build.ts'
import { maximumSeats } from '../schema/catalogue/plans.ts'
import { openClock } from '../schema/clock.ts'
import { OtherSessionError, refuseOtherSession } from '../schema/database/verify-session.ts'
import { EnvironmentError, processEnvironment } from '../schema/env.ts'
import { withTimeLimit } from '../schema/time-limit.ts'
import { startTracing } from '../schema/tracing.ts'
import { OtherAccountError, refuseOtherAccount } from '../schema/vendors/stripe/account.ts'
import { createApp } from './app.ts'
import { type Dependencies, openDependencies } from './dependencies.ts'
import { listen } from './listen.ts'
import { isWebAppBuilt } from './middleware/web-app.ts'
import { createMonitoringApp } from './monitoring.ts'

/** At shutdown requests that take longer than this are closed. */
const drainLimitMs = 10_000
/** Longer than a call needs to arrive over a connection that was kept. */
const graceMs = 1000

async function main(): Promise<void> {
  const env = processEnvironment(process.env)
  const clock = openClock(env)
  await clock.ready
  const { deps: opened, database, close } = openDependencies(env, clock)
  const { log } = opened
  const tracing = await startTracing(env, {
    process: 'server',
    onError: (error) => log.warn({ err: error }, 'Spans were not delivered'),
  })
  await withTimeLimit(refuseOtherSession(database), { limit_ms: 5000, what: 'Comparing the session' }).catch(
    (error: unknown) => {
      if (error instanceof OtherSessionError) throw error
      log.warn({ err: error }, 'It is not known whether sessions of the database are as they were asked for')
    },
  )
  await refuseOtherAccount(opened)
  const settings = { ...opened.settings, maximum_seats: await findMaximumSeats(opened) }
  const deps = { ...opened, settings }
  const server = await listen(createApp(deps).callback(), { host: env.HOST, port: env.PORT }, deps)
  const monitoring = await listen(
    createMonitoringApp(deps).callback(),
    { host: env.METRICS_HOST, port: env.METRICS_PORT },
    deps,
  )
  if (!(await isWebAppBuilt(settings.web_root))) log.warn('The web app is not built; only the API is served')
  const { app_url, sandbox } = settings
  const { port } = server
  const { revision } = build
  log.info({ port, metrics_port: monitoring.port, app_url, sandbox, revision }, 'Server is ready')

  const hurry = new AbortController()
  const stop = async (signal: string) => {
    deps.readiness.isStopping = true
    server.endConnections()
    if (env.DRAIN_DELAY_MS > 0) {
      log.info({ signal, delay_ms: env.DRAIN_DELAY_MS }, 'Server is not ready any more and will stop')
      await setTimeout(env.DRAIN_DELAY_MS, undefined, { signal: hurry.signal }).catch(() => undefined)
    }
    log.info({ signal }, 'Server is finishing open requests')
    await server.close({ limit_ms: drainLimitMs, grace_ms: graceMs })
    await monitoring.close({ limit_ms: 0, grace_ms: 0 })
    await close()
    clock.stop()
    await tracing.close()
    log.info('Server has stopped')
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // A second signal skips the wait for the load balancer; open requests are finished all the same.
      if (deps.readiness.isStopping) return hurry.abort()
      stop(signal).then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'Server could not stop cleanly')
          process.exit(1)
        },
      )
    })
  }
}

/** What Clerk allows is known before the first page is sent; while Clerk is away, the catalogue's number counts. */
async function findMaximumSeats({ clerk, log }: Dependencies): Promise<number> {
  try {
    const allowed = await clerk.findMembershipMaximum()
    if (allowed < maximumSeats)
      log.warn({ allowed }, `Clerk allows ${allowed} people: no more seats are sold`)
    return Math.min(maximumSeats, allowed)
  } catch (error) {
    log.warn({ err: error }, 'It is not known how many people Clerk lets into an organization')
    return maximumSeats
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`)
  process.exit(1)
})

function explain(error: unknown): string {
  const refusals = [EnvironmentError, OtherAccountError, OtherSessionError]
  if (error instanceof Error && refusals.some((refusal) => error instanceof refusal)) return error.message
  const { code, port, stack } = error as NodeJS.ErrnoException & { port?: number }
  const name = String(port) === process.env.METRICS_PORT ? 'METRICS_PORT' : 'PORT'
  if (code === 'EADDRINUSE') {
    return `${name} ${port} is taken. Set ${name} to another one, or stop what listens there.`
  }
  if (code === 'EACCES') return `${name} ${port} may not be used by this user. Set ${name} to one above 1023.`
  return stack ?? String(error)
}

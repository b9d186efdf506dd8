import { Router } from '@koa/router'
import Koa, { type Middleware } from 'koa'
import { build } from '../schema/build.ts'
import { withTimeLimit } from '../schema/time-limit.ts'
import type { Dependencies } from './dependencies.ts'
import { findReasonsNotReady } from './routes/health.ts'

/** For operators only, on METRICS_PORT: sales figures and failure details must not be public. */
export function createMonitoringApp(deps: Dependencies): Koa {
  const router = new Router()
  router.get('/healthz', (ctx) => {
    ctx.body = { status: 'ok', ...build }
  })
  router.get('/readyz', async (ctx) => {
    const reasons = await findReasonsNotReady(deps)
    const isReady = Object.keys(reasons).length === 0
    ctx.status = isReady ? 200 : 503
    ctx.body = { status: isReady ? 'ready' : 'not_ready', reasons }
  })
  router.get('/metrics', answerMetrics(deps))
  const app = new Koa()
  app.on('error', (error: Error) => deps.log.warn({ err: error }, 'Monitoring failed'))
  app.use(router.routes())
  return app
}

/** Prometheus text format. Gauges whose source does not answer are left out. */
function answerMetrics(deps: Dependencies): Middleware {
  const { registry, measured } = deps.metrics
  return async (ctx) => {
    await Promise.all(
      measured.map(async ({ gauge, measurement: { name, labelNames, measure } }) => {
        if (labelNames) gauge.reset()
        else gauge.remove()
        const limit = { limit_ms: deps.settings.probe_limit_ms, what: `Measuring ${name}` }
        await withTimeLimit(measure(gauge, deps), limit).catch((error: unknown) => {
          deps.log.warn({ err: error }, 'Metrics are incomplete')
        })
      }),
    )
    ctx.set('content-type', registry.contentType)
    ctx.set('cache-control', 'no-store')
    ctx.body = await registry.metrics()
  }
}

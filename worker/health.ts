import { createServer, type Server } from 'node:http'
import { sql } from 'kysely'
import { build } from '../schema/build.ts'
import type { WorkerDependencies } from './dependencies.ts'

/** Serves `/healthz` (the database answers) and `/metrics`, for those who operate the product. */
export function serveHealth(
  deps: WorkerDependencies,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Server> {
  const server = createServer(async (request, response) => {
    try {
      if (request.url === '/metrics') {
        response.setHeader('content-type', deps.metrics.registry.contentType)
        response.end(await deps.metrics.registry.metrics())
      } else if (request.url === '/healthz') {
        await sql`SELECT 1`.execute(deps.db)
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ status: 'ok', ...build }))
      } else {
        response.statusCode = 404
        response.end('not found\n')
      }
    } catch (error) {
      deps.log.warn({ err: error }, 'The worker is not healthy')
      response.statusCode = 503
      response.end('the database does not answer\n')
    }
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}

import type { Queue } from 'bullmq'
import { queueNames } from '../../schema/inbox/queues/queues.ts'
import { recordLook } from '../../schema/support/audit.ts'
import { TokenRejectedError } from '../../schema/vendors/clerk/tokens.ts'
import type { AppContext, AppMiddleware } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { notFound } from '../errors.ts'
import { recordDenial } from '../middleware/authenticate.ts'

const boardPath = '/support/queues'

/**
 * How long after its minute a session token is still taken for whose it is, here only: nothing on Bull
 * Board's page renews the cookie, as Clerk's script does on ours. So Clerk is asked each time whether the
 * session is still alive (decision 104).
 */
const oldestTokenMs = 12 * 3_600_000

/**
 * Bull Board, for support staff to look at the raw queues; other callers get a 404. It is read-only: retries
 * are rows in the database, and a replay is an act with a reason, so any other method than GET ends here.
 */
export function queueBoard(deps: Dependencies): AppMiddleware {
  let board: { readonly of: Queue | undefined; readonly serve: Promise<AppMiddleware> } | undefined
  return async (ctx, next) => {
    if (ctx.path !== boardPath && !ctx.path.startsWith(`${boardPath}/`)) return next()
    const user_id = await findSupportStaff(deps, ctx)
    if (!user_id || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) throw notFound()
    ctx.state.requestLog.note({ user_id })
    // Its links are relative to a folder.
    if (ctx.path === boardPath) return ctx.redirect(`${boardPath}/`)
    const queues = queueNames.map((name) => deps.producer.queue(name))
    // The producer opens new queues when its backend was away.
    if (!board || board.of !== queues[0]) board = { of: queues[0], serve: createBoard(queues) }
    const job = /\/api\/queues\/([\w-]+)\/([^/]{1,200})(?:\/logs)?$/.exec(ctx.path)
    if (job) {
      const target = { kind: 'job', id: `${job[1]}/${job[2]}` }
      await recordLook(deps.db, { actor: user_id, what: 'queue_job', target, detail: null })
    }
    ctx.set('cache-control', 'no-store')
    const serve = await board.serve
    await serve(ctx, next)
  }
}

/** Loaded on first use: no other request, and no start of a server, waits for it. */
async function createBoard(queues: readonly Queue[]): Promise<AppMiddleware> {
  const [{ createBullBoard }, { BullMQAdapter }, { KoaAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/koa'),
  ])
  const adapter = new KoaAdapter().setBasePath(boardPath)
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true, allowRetries: false })),
    serverAdapter: adapter,
    options: {
      uiConfig: {
        boardTitle: 'Queues (read-only)',
        miscLinks: [{ text: 'Support', url: '/support' }],
      },
    },
  })
  return adapter.registerPlugin() as AppMiddleware
}

/**
 * The signed-in member of the support staff, by the cookies in which Clerk's script keeps their session
 * token.
 */
async function findSupportStaff(deps: Dependencies, ctx: AppContext): Promise<string | null> {
  const { clerk } = deps
  for (const token of sessionTokens(ctx)) {
    try {
      const { user_id, session_id } = await clerk.verifyToken(token, { expired_for_ms: oldestTokenMs })
      if (!session_id) continue
      if (!(await deps.isSupportStaff(user_id))) {
        await recordDenial(deps, { user_id, address: `${ctx.method} ${boardPath}` })
        continue
      }
      if ((await clerk.getAccountStatus({ user_id, session_id })) === 'good') return user_id
    } catch (error) {
      if (!(error instanceof TokenRejectedError)) throw error
    }
  }
  return null
}

/** Clerk names the cookie `__session`, plus one with a suffix per application. */
function sessionTokens(ctx: AppContext): string[] {
  const cookies = ctx.get('cookie').split(';')
  const tokens = cookies.flatMap((cookie) => /^\s*__session(?:_[\w-]+)?=([\w.-]+)$/.exec(cookie)?.[1] ?? [])
  return [...new Set(tokens)].slice(0, 3)
}

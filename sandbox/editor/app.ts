import { randomUUID } from 'node:crypto'
import { bodyParser } from '@koa/bodyparser'
import { Router, type RouterContext } from '@koa/router'
import Koa from 'koa'
import { editorPage } from './page.ts'
import { type Account, productAt, Refusal } from './product.ts'
import {
  beginSignIn,
  type Running,
  requestOf,
  type Said,
  type Session,
  Sessions,
  signInPage,
} from './sessions.ts'

/** The editor's own pages. Its user's browser never sees the token: this process makes the calls. */
export function createApp({ url, appUrl }: { url: string; appUrl: string }): Koa {
  const product = productAt(appUrl)
  const sessions = new Sessions()
  const router = new Router()

  router.get('/', async (context) => {
    const session = sessions.of(context)
    const account = await readAccount(session)
    const { notice } = session
    session.notice = null
    sendPage(context, editorPage({ appUrl, session, account, notice }))
  })

  router.post('/sign-in', (context) => {
    const session = sessions.of(context)
    session.begun = beginSignIn(url)
    seeOther(context, signInPage(appUrl, session.begun, field(context, 'computer') || 'this computer'))
  })

  router.get('/auth-complete', async (context) => {
    const session = sessions.of(context)
    const { begun } = session
    const { code, state } = context.query
    session.begun = null
    if (!begun || state !== begun.state || typeof code !== 'string') {
      session.notice = 'This sign-in did not begin here. Nothing was accepted; please start again.'
    } else {
      await noticing(session, async () => {
        session.token = await product.exchange(code, begun)
      })
    }
    seeOther(context, '/')
  })

  router.post('/requests', async (context) => {
    const session = sessions.of(context)
    const request = requestOf(field(context, 'name'))
    const { token } = session
    if (token && request) {
      const { title, at_most, model } = request
      const reservation = { credits: at_most, description: `Chat: ${title}`, model, project: 'tide' }
      await saying(session, title, async () => {
        const hold_id = await product.reserve(token, { ...reservation, idempotency_key: randomUUID() })
        const running = { hold_id, request }
        if (!request.is_long) return finish(token, running)
        session.running = [...session.running, running]
        return null
      })
    }
    seeOther(context, '/#latest')
  })

  router.post('/running', async (context) => {
    const session = sessions.of(context)
    const running = session.running.find(({ hold_id }) => hold_id === field(context, 'hold_id'))
    const { token } = session
    if (token && running) {
      session.running = session.running.filter((other) => other !== running)
      await saying(session, running.request.title, async () => {
        if (field(context, 'end') === 'finish') return finish(token, running)
        await product.release(token, running.hold_id)
        return { text: 'Stopped before the model was asked.', charged: 0 }
      })
    }
    seeOther(context, '/#latest')
  })

  router.post('/payer', async (context) => {
    const session = sessions.of(context)
    const { token } = session
    const payer = field(context, 'payer')
    if (token !== null) await noticing(session, () => product.choosePayer(token, payer))
    seeOther(context, '/')
  })

  router.post('/sign-out', async (context) => {
    const session = sessions.of(context)
    const { token } = session
    if (token !== null) await noticing(session, () => product.signOut(token))
    sessions.forget(context)
    seeOther(context, '/')
  })

  /** Pays for what the model did, and for nothing where it failed. */
  async function finish(token: string, { hold_id, request }: Running): Promise<Omit<Said, 'title'>> {
    const { credits, reply } = request
    if (reply === null) {
      await product.settle(token, hold_id, { credits: 0, outcome: 'failed', reason: 'provider_error' })
      return { text: 'The model did not answer. Not charged: provider error', charged: 0 }
    }
    return { text: reply, charged: await product.settle(token, hold_id, { credits, outcome: 'completed' }) }
  }

  async function readAccount(session: Session): Promise<Account | null> {
    const { token } = session
    return token === null ? null : noticing(session, () => product.readAccount(token))
  }

  const app = new Koa()
  app.use(async (context, next) => {
    // The cookie belongs to one name of this machine, and the sign-in comes back to that one.
    if (context.host !== new URL(url).host) return context.redirect(`${url}${context.url}`)
    await next()
  })
  app.use(bodyParser({ enableTypes: ['form'], formLimit: '4kb' }))
  app.use(router.routes())
  return app
}

/** A refusal becomes a sentence on the page. */
async function noticing<Result>(session: Session, work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await work()
  } catch (error) {
    session.notice = refused(session, error).text
    return null
  }
}

/** What became of a request goes into the conversation, unless it still runs. */
async function saying(
  session: Session,
  title: string,
  work: () => Promise<Omit<Said, 'title'> | null>,
): Promise<void> {
  const said = await work().catch((error) => refused(session, error))
  if (said) session.said = [...session.said, { title, ...said }].slice(-20)
}

/** A token that has ended does not work again: the editor forgets it and offers to sign in. */
function refused(session: Session, error: unknown): Omit<Said, 'title' | 'charged'> {
  if (!(error instanceof Refusal)) throw error
  if (error.status === 401) {
    session.token = null
    session.notice = error.message
  }
  return { text: error.message, buy_url: error.buy_url, other_payers: error.other_payers }
}

/** A field of the form that was sent; empty without one. */
function field(context: RouterContext, name: string): string {
  const value = (context.request.body as Record<string, unknown> | undefined)?.[name]
  return typeof value === 'string' ? value : ''
}

function seeOther(context: RouterContext, address: string): void {
  context.status = 303
  context.set('location', address)
}

/** Nothing is loaded from elsewhere, and no other site may frame it. */
const contentPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'"

function sendPage(context: RouterContext, markup: string): void {
  context.type = 'html'
  context.set('cache-control', 'no-store')
  context.set('content-security-policy', contentPolicy)
  context.body = markup
}

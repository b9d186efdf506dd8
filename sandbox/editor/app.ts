import { randomUUID } from 'node:crypto'
import { bodyParser } from '@koa/bodyparser'
import { Router, type RouterContext } from '@koa/router'
import Koa from 'koa'
import { editorPage } from './page.ts'
import { type Balance, productAt, Refusal } from './product.ts'
import { isRequest, requests } from './requests.ts'
import { type Session, Sessions } from './sessions.ts'
import { beginSignIn, signInPage } from './sign-in.ts'

/** The editor's own pages. Its user's browser never sees the token: this process makes the calls. */
export function createApp({ url, appUrl }: { url: string; appUrl: string }): Koa {
  const product = productAt(appUrl)
  const sessions = new Sessions()
  const router = new Router()

  router.get('/', async (context) => {
    const session = sessions.of(context)
    const balance = await readBalance(session)
    const { notice } = session
    session.notice = null
    sendPage(context, editorPage({ appUrl, session, balance, notice }))
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
    const name = field(context, 'name')
    const { token } = session
    if (token && isRequest(name)) {
      const { title, credits, reply } = requests[name]
      const usage = { credits, idempotency_key: randomUUID(), description: `Chat: ${title}` }
      const said = await product.reportUsage(token, usage).then(
        ({ charged }) => ({ title, text: reply, charged }),
        (error) => ({ title, ...refused(session, error) }),
      )
      session.said = [...session.said, said].slice(-20)
    }
    seeOther(context, '/#latest')
  })

  router.post('/sign-out', async (context) => {
    const session = sessions.of(context)
    const { token } = session
    if (token !== null) await noticing(session, () => product.signOut(token))
    sessions.forget(context)
    seeOther(context, '/')
  })

  async function readBalance(session: Session): Promise<Balance | null> {
    const { token } = session
    return token === null ? null : noticing(session, () => product.readBalance(token))
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

/** A token that has ended does not work again: the editor forgets it and offers to sign in. */
function refused(session: Session, error: unknown): { text: string; buy_url: string | undefined } {
  if (!(error instanceof Refusal)) throw error
  if (error.status === 401) {
    session.token = null
    session.notice = error.message
  }
  return { text: error.message, buy_url: error.buy_url }
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

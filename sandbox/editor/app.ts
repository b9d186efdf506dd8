import { randomUUID } from 'node:crypto'
import { bodyParser } from '@koa/bodyparser'
import { Router, type RouterContext } from '@koa/router'
import Koa from 'koa'
import { seeOther, sendDocument } from '../kit/html.ts'
import { gatewayAt } from './gateway.ts'
import { editorPage, editorStyles } from './page.ts'
import { type Account, productAt, Refusal } from './product.ts'
import { beginSignIn, requestOf, type Said, type Session, Sessions, signInPage } from './sessions.ts'

/** The editor's own pages. Its user's browser never sees the token: this process makes the calls. */
export function createApp({ url, appUrl, gatewayUrl }: Record<'url' | 'appUrl' | 'gatewayUrl', string>): Koa {
  const product = productAt(appUrl)
  const gateway = gatewayAt(gatewayUrl)
  const sessions = new Sessions()
  const router = new Router()

  router.get('/', async (context) => {
    const session = sessions.of(context)
    const account = await readAccount(session)
    const { notice } = session
    session.notice = null
    const body = editorPage({ appUrl, session, account, notice })
    sendDocument(context, { title: 'Sample editor', styles: editorStyles, body })
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
      await saying(session, request.title, async () => {
        const id = randomUUID()
        const { answer } = await gateway.ask(token, request, request.is_long && id)
        if (!request.is_long) return answer
        session.running = [...session.running, { id, request, answer }]
        return null
      })
    }
    seeOther(context, '/#latest')
  })

  router.post('/running', async (context) => {
    const session = sessions.of(context)
    const running = session.running.find(({ id }) => id === field(context, 'id'))
    if (running) {
      session.running = session.running.filter((other) => other !== running)
      await saying(session, running.request.title, async () => {
        await gateway.end(running.id, field(context, 'end') === 'finish' ? 'go' : 'stop')
        return running.answer
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

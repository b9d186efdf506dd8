import { listMails } from '../../schema/mails/mails.ts'
import { switchMails } from '../../schema/people/users/users.ts'
import type { AppMiddleware } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { ServerError } from '../errors.ts'
import { signedSender } from '../rights.ts'
import { plainRoute } from '../route.ts'

/** The link of a mail shows a button, because programs follow links; a mail program posts to it (RFC 8058). */
export const mailRoutes = (['GET', 'POST'] as const).map((method) =>
  plainRoute({ method, path: '/mail/unsubscribe', limit: 'page', rights: signedSender, serve: unsubscribe }),
)

function unsubscribe({ db }: Dependencies): AppMiddleware {
  return async (ctx) => {
    const { owner_id, id } = ctx.query
    const [mail] = await listMails(db, { owner_id: String(owner_id), id: String(id) })
    if (!mail) throw new ServerError(400, 'invalid_link', 'This link is not valid any more.')
    if (ctx.method === 'POST') await switchMails(db, { ...mail, on: false })
    const body = ctx.method === 'GET' ? '<button>Unsubscribe</button>' : 'You get no more of these mails.'
    ctx.set('cache-control', 'no-store')
    ctx.type = 'html'
    ctx.body = `<!doctype html><html lang="en"><title>Unsubscribe</title><meta name="viewport" content="width=device-width">
<body style="font:16px/1.5 sans-serif;margin:10vh 24px;text-align:center"><form method="post">${body}</form></body></html>`
  }
}

import { createHash } from 'node:crypto'
import { failureOf } from '../../schema/api/failures.ts'
import { claimDue } from '../../schema/inbox/claim/claim-due.ts'
import { letterOf } from '../../schema/mails/letters.ts'
import { claimableMails, finishMail, listMails } from '../../schema/mails/mails.ts'
import type { WorkerDependencies } from '../dependencies.ts'

/**
 * Sends the mails that are due. One that the server cannot take now keeps its claim, and is due again when that runs
 * out. After a crash between sending and marking it is sent again: mail servers know it by its Message-ID.
 */
export async function sendMails({ db, mailer, log, appUrl, ...deps }: WorkerDependencies): Promise<void> {
  if (!mailer) return
  const { name, support_email: address } = mailer.brand
  const due = { now: deps.now(), first_wait_ms: deps.claimAfterMs, limit: 20 }
  const keys = await claimDue(db, claimableMails, due)
  for (const mail of (await Promise.all(keys.map((key) => listMails(db, key)))).flat()) {
    if (!mail.is_wanted) {
      await finishMail(db, mail, failureOf('mail_unwanted'))
      continue
    }
    const { unsubscribe_url, to, ...letter } = letterOf(mail, { brand: mailer.brand, app_url: appUrl })
    const message = createHash('sha256').update(mail.id).digest('hex')
    try {
      await mailer.transport.sendMail({
        ...letter,
        to: { name: '', address: to },
        from: { name, address },
        messageId: `<${message}@${new URL(appUrl).hostname}>`,
        headers: {
          'List-Unsubscribe': `<${unsubscribe_url}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
      })
      await finishMail(db, mail, null)
    } catch (error) {
      log.warn({ err: error, owner_id: mail.owner_id }, 'A mail could not be sent')
      const { code = '', responseCode } = error as { code?: string; responseCode?: number }
      // Without an answer, the others would wait for the same server.
      if (!responseCode) return
      // A refused login is for an operator to correct, and no fault of the mail.
      const isRefused = responseCode >= 500 && ['EENVELOPE', 'EMESSAGE'].includes(code)
      if (isRefused) await finishMail(db, mail, failureOf('mail_refused', { code: responseCode }))
    }
  }
}

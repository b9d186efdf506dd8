import type { Clerk } from '../clerk.ts'
import { createId } from './id.ts'

/** Nothing is sent: what would have been is kept, and shown under `/_sandbox/mails`. */
export type Mail = {
  id: string
  to: string
  subject: string
  code: string | null
  url: string | null
  created_at: number
}

/** Always the same, so that people and tests can type it. */
export const EMAIL_CODE = '424242'
const MAILS_KEPT = 200

export function sendMail(
  clerk: Clerk,
  mail: Pick<Mail, 'to' | 'subject'> & Partial<Pick<Mail, 'code' | 'url'>>,
) {
  clerk.store.mails.add({ id: createId('ema'), code: null, url: null, ...mail, created_at: Date.now() })
  clerk.store.mails.trim(MAILS_KEPT)
}

export function sendCode(clerk: Clerk, to: string) {
  sendMail(clerk, { to, subject: `${EMAIL_CODE} is your verification code`, code: EMAIL_CODE })
}

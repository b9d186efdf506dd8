import type { Mail } from './mails.ts'

/** `app_url` has no slash at the end. */
type Sender = { readonly brand: { readonly name: string }; readonly app_url: string }
type Figures = Readonly<Record<string, string | number | null>>
type Words = { readonly subject: string; readonly text: string }

const day = (iso: unknown) =>
  new Date(`${iso}`).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })

/** What each kind says, by its figures. `has`: `You have` or `Your organization has`. */
const words: Readonly<Record<Mail['kind'], (figures: Figures, has: string) => Words>> = {
  balance_low: ({ left }, has) => ({
    subject: `Low balance: ${left} credits left`,
    text: `${has} ${left} credits left. A request that costs more is refused.`,
  }),
  budget: ({ percent, limit, resets_on }, has) => ({
    subject: `${percent}% of a spending limit used`,
    text: `${has} used ${percent}% of a limit of ${limit} credits. ${percent === 100 ? 'Requests are refused' : 'It holds'} until ${day(resets_on)} (UTC), unless it is raised.`,
  }),
  payment_declined: ({ amount, reason, again_on }) => ({
    subject: 'A payment was declined',
    text: `A payment of ${amount} was declined${reason ? `: ${reason}` : ''}. ${again_on ? `It is tried again on ${day(again_on)}` : 'It is not tried again'}. No plan credits are added until it is paid.`,
  }),
  confirmation_needed: ({ amount }) => ({
    subject: 'A payment has to be confirmed',
    text: `The bank asks you to confirm a payment of ${amount}. No plan credits are added until you have.`,
  }),
  card_expires: ({ last4, month, year }) => ({
    subject: 'A card expires soon',
    text: `The card ending in ${last4}, which pays for the plan, expires at the end of ${month}/${year}. Please give another one before the next payment.`,
  }),
  no_team: () => ({
    subject: 'Your payment has arrived, and your team is not ready yet',
    text: 'We could not set up the team that you paid for, and are looking into it. Nothing more has to be paid. Answer this mail if you have a question.',
  }),
}

/** A mail as its recipient gets it. */
export function letterOf(mail: Mail, { brand, app_url }: Sender) {
  const { id, kind, owner_id, user_id, first_name, figures } = mail
  const isOwn = owner_id === user_id
  const told = figures as Figures
  const has = isOwn || `${told.scope}`.startsWith('member') ? 'You have' : 'Your organization has'
  const { subject, text } = words[kind](told, has)
  const url = `${app_url}/billing?payer=${isOwn ? 'personal' : owner_id}`
  const unsubscribe_url = `${app_url}/mail/unsubscribe?owner_id=${owner_id}&id=${id}`
  const hello = first_name ? `Hello ${first_name},` : 'Hello,'
  const why = `${brand.name} sends you news about your ${isOwn ? 'credits' : 'organization'}.`
  return {
    to: mail.email,
    subject: `${brand.name}: ${subject}`,
    text: `${hello}\n\n${text}\n\nOpen Billing: ${url}\n\n--\n${why}\nUnsubscribe: ${unsubscribe_url}\n`,
    html: `<!doctype html>
<html lang="en"><body style="margin:0;padding:24px;background:#f5f7f8;color:#1b2329;font:16px/1.5 sans-serif">
<div style="max-width:456px;margin:auto;padding:24px 32px;background:#fff;border-radius:8px">
<h1 style="font-size:20px">${escaped(subject)}</h1><p>${escaped(hello)}</p><p>${escaped(text)}</p>
<p><a href="${escaped(url)}" style="display:inline-block;padding:10px 18px;background:#00707c;color:#fff;border-radius:6px;text-decoration:none">Open Billing</a></p>
</div>
<p style="max-width:520px;margin:16px auto;font-size:13px">${escaped(why)} <a href="${escaped(unsubscribe_url)}">Unsubscribe</a></p>
</body></html>`,
    unsubscribe_url,
  }
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

import * as z from 'zod/mini'
import { maybe, memberText, wordsOf } from './words.ts'

const subjects = {
  balance_low: 'a low balance',
  budget: 'a spending limit',
  payment_declined: 'a declined payment',
  confirmation_needed: 'a payment to confirm',
  card_expires: 'a card that expires',
  no_team: 'a team that is not ready',
}

const mailWords = wordsOf({
  kind: 'mail',
  name: 'E-mail',
  data: z.object({
    kind: z.enum(Object.keys(subjects) as (keyof typeof subjects)[]),
    user_id: z.string(),
    label: maybe.text,
    state: z.enum(['due', 'sent', 'failed']),
    failure: maybe.text,
  }),
  describe: ({ data: { kind, user_id, label, state, failure } }) => ({
    title: `E-mail about ${subjects[kind]}`,
    level: state === 'due' ? 'waiting' : state === 'sent' ? 'done' : 'problem',
    state,
    error: failure,
    details: [`To ${memberText(user_id, label)}.`],
  }),
})

export const mails = [mailWords]

import * as z from 'zod/mini'
import { dayText, maybe, notice, time, wordsOf } from './words.ts'

const seatWords = wordsOf({
  kind: 'seat',
  data: z.object({
    organization_id: z.string(),
    label: z.string(),
    role: z.enum(['admin', 'member']),
    status: z.enum(['active', 'pending', 'revoked', 'expired']),
    invitation_id: maybe.text,
    updated_at: time,
  }),
  describe({ data }) {
    const { status, invitation_id } = data
    const isOver = status === 'revoked' || status === 'expired'
    return {
      title: `Seat of ${data.label}`,
      level: status === 'pending' ? 'waiting' : 'done',
      state: status,
      details: [
        isOver ? `Ended on ${dayText(data.updated_at)}.` : `As ${data.role}, in ${data.organization_id}.`,
      ],
      caused_by: invitation_id ? [`invitation:${invitation_id}`] : [],
    }
  },
})

const invitationWords = wordsOf({
  kind: 'invitation',
  data: z.object({
    /** The whole address: people are invited again by it. */
    label: z.string(),
    status: z.enum(['pending', 'accepted', 'expired', 'revoked']),
    expires_at: time,
    clerk_invitation_id: maybe.text,
    refusal_code: maybe.text,
    updated_at: time,
    attempts: z.int(),
    last_error: maybe.text,
    sync_failed_at: maybe.time,
    next_try_at: maybe.time,
  }),
  describe({ data }) {
    const { status, sync_failed_at, next_try_at, last_error } = data
    const isProblem = sync_failed_at !== null || (next_try_at !== null && last_error !== null)
    return {
      title: `Invitation of ${data.label}`,
      level: isProblem ? 'problem' : status === 'pending' ? 'waiting' : 'done',
      state: status,
      error: isProblem ? last_error : null,
      details: [
        data.clerk_invitation_id
          ? `It is good until ${dayText(data.expires_at)}.`
          : 'It has not been sent yet.',
      ],
      attempts: data.attempts,
      next_try_at: sync_failed_at ? null : next_try_at,
    }
  },
  notices({ key, data: { label, refusal_code, updated_at } }) {
    const why = refusal_code === 'unavailable' ? 'Clerk did not answer' : `Clerk refused (${refusal_code})`
    const day = dayText(updated_at)
    return [
      notice('problem', {
        sentence: `Invitation of ${label} failed on ${day}: ${why}. Its seat is free; an admin has to invite again.`,
        tell: `The invitation to ${label} could not be sent on ${day}, and takes no seat. ${refusal_code === 'unavailable' ? 'Please' : 'Please check the address, and'} invite them again.`,
        item_key: key,
      }),
    ]
  },
})

export const seats = [seatWords, invitationWords]

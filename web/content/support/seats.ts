import { dayText, type Words } from './words.ts'

const seat: Words<'seat'> = {
  name: 'Seat',
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
}

const invitation: Words<'invitation'> = {
  name: 'Invitation',
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
}

export const seats = { seat, invitation }

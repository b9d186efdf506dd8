import type { Claim } from './sample.ts'

/** Null where nothing is claimed: the pages close up. */
type Claims = Readonly<
  Record<
    | 'rating'
    | 'users'
    | 'enterprises'
    | 'code_by_ai'
    | 'preference'
    | 'privacy_mode'
    | 'zero_retention'
    | 'certification',
    Claim | null
  >
>

export const claims: Claims = {
  rating: { value: '4.8/5.0', label: 'on the editor marketplace', sample: true },
  users: { value: '1M+', label: 'users', sample: true },
  enterprises: { value: '4,000+', label: 'enterprise customers', sample: true },
  code_by_ai: { value: '94%', label: 'of code written by AI', sample: true },
  preference: { value: '83%', label: 'of engineers prefer it', sample: true },
  privacy_mode: {
    value: 'Privacy mode',
    label: 'Your code is neither stored nor used to train models.',
    sample: true,
  },
  zero_retention: {
    value: 'Zero data retention',
    label: 'Model vendors keep nothing of what is sent to them.',
    sample: true,
  },
  certification: {
    value: 'SOC 2 certified',
    label: 'Audited by an independent party. Ask us for the report.',
    sample: true,
  },
}

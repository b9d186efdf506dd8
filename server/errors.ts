import { reverificationError } from '@clerk/backend/internal'
import type { Renewal } from '../schema/api/account.ts'
import type { ApiError } from '../schema/api/error.ts'
import { editorsMax } from '../schema/extension/tokens.ts'
import type { RefusalCode, RequestedAct } from '../schema/support/request-act.ts'
import { freshFactor } from '../schema/vendors/clerk/tokens.ts'

interface Additions {
  readonly fields?: ApiError['fields']
  readonly retry_after_s?: number | undefined
  /** More fields of the response, for callers that handle this particular error. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly cause?: unknown
}

/** An error for the caller: `message` for people, `code` for programs. Its `cause` only goes to the log. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly status: number
  readonly code: string
  readonly fields: ApiError['fields']
  readonly retry_after_s: number | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(status: number, code: string, text: string, more: Additions = {}) {
    super(text, 'cause' in more ? { cause: more.cause } : undefined)
    this.status = status
    this.code = code
    this.fields = more.fields
    this.retry_after_s = more.retry_after_s
    this.details = more.details
  }
}

/** Answers with the failure text of its route (`failure`) and the given status and code. */
export class RouteFailedError extends ServerError {
  constructor(status: number, code: string, more: Additions = {}) {
    super(status, code, code, more)
  }
}

/** Stripe answered, but an object that `npm run stripe:setup` creates is missing or different. */
export class StripeAnswerError extends Error {
  override readonly name = 'StripeAnswerError'
}

/** The errors that say the same to every caller: the text for people, by status and code. */
const texts = {
  400: {
    invalid_content_type: 'The request must have the content type application/json',
    invalid_json: 'The request body is not valid JSON',
    unreadable_body: 'The request body could not be read',
    invalid_grant:
      'This sign-in is not finished, has expired, was used before or does not match. Please start again from your editor.',
    invalid_signature: 'The webhook’s signature is not valid',
    invalid_event: 'The webhook’s body is not an event',
  },
  401: {
    unauthenticated: 'User not authenticated',
    /** The token is unknown, expired or revoked; which of these it is must not be revealed. */
    invalid_token: 'The extension token is no longer valid. Please sign in again from your editor.',
    /** The same of the token in `on_behalf_of`: the service's own key is valid. */
    invalid_user_token: 'The extension token is no longer valid. Please sign in again from your editor.',
    invalid_operator_key: 'The operator key is unknown or was revoked',
  },
  402: { no_seats_left: 'No available seats. Upgrade your subscription to add more members.' },
  403: {
    forbidden: 'You can only do this for your own account',
    account_suspended: 'This account is suspended. Please contact support.',
    metered_by_gateway: 'Usage is reported by the gateway here. An editor can only read balances and payers.',
    account_locked: 'This account is locked at the moment. Please try again later.',
  },
  404: {
    not_found: 'There is nothing at this address',
    session_not_found: 'Session not found',
    user_not_found: 'User not found',
    /** Also for organizations that exist: non-members must not learn that they do. */
    organization_not_found: 'Organization not found',
    /** Also for subscriptions of organizations that the caller is not a member of. */
    organization_not_initialized: 'Organization not initialized',
    seat_not_found: 'This person has no active seat in the organization',
    invitation_not_found: 'Invitation not found in database',
    support_item_not_found: 'Not found, neither in our database nor at Stripe',
    sign_in_not_found: 'This sign-in does not exist. Please start again from your editor.',
    /** The same for an editor, and for a hold, of another person and for one that does not exist. */
    editor_not_found: 'You have no editor with this id',
    hold_not_found: 'You have no hold with this id',
    budget_not_found: 'There is no such limit for this person',
  },
  405: { method_not_allowed: 'This address does not support this method' },
  409: {
    request_in_progress: 'The first request with this Idempotency-Key is still being processed.',
    checkout_in_progress: 'Your last checkout is still being processed. Please wait a moment.',
    checkout_superseded:
      'Another checkout was opened in the meantime. Please continue with that one, or start again.',
    plan_ending: 'The plan is set to end. Resume it in the billing portal first.',
    payment_overdue:
      'The last payment has failed. Please update the payment method in the billing portal first.',
    nothing_overdue: 'No payment of the plan is overdue. Please reload the page.',
    change_scheduled: 'A change is scheduled for the next period already. Keep the present plan first.',
    already_invited: 'This email has already been invited',
    /** Clerk's membership limit is reached and could not be raised, although a seat is free. */
    organization_full:
      'The sign-in service has no room for another member of this organization, although a seat is free. Please contact support.',
    sign_in_used: 'This sign-in has already been used. Please start again from your editor.',
    sign_in_unconfirmed: 'This page was open for too long. Please reload it and confirm the sign-in again.',
    hold_settled: 'This hold is settled already',
    hold_released: 'This hold was released, so its credits are available again',
    hold_expired: 'This hold has expired, so its credits are available again',
  },
  410: { sign_in_expired: 'This sign-in has expired. Please start again from your editor.' },
  414: { path_too_long: 'The path of this address is too long' },
  421: { foreign_host: 'This server does not answer for the host of this address' },
  422: {
    unknown_model: 'The tokens of this model have no price here. Please report credits.',
    idempotency_key_reused: 'This Idempotency-Key was used before for another request. Please use a new one.',
  },
  500: { internal_error: 'An unexpected error occurred' },
  501: { method_not_implemented: 'The server does not support this method' },
  502: { upstream_unavailable: 'A service behind this address does not answer' },
} as const
type Texts = typeof texts
type TextCode = { [Status in keyof Texts]: keyof Texts[Status] }[keyof Texts]

const statuses = new Map(
  Object.entries(texts).flatMap(([status, byCode]) =>
    Object.entries(byCode).map(([code, text]) => [code, [Number(status), text]] as const),
  ),
)

export function refusal(code: TextCode, more?: Additions): ServerError {
  const [status = 500, text = ''] = statuses.get(code) ?? []
  return new ServerError(status, code, text, more)
}

export const notFound = () => refusal('not_found')
export const supportItemNotFound = () => refusal('support_item_not_found')

export const tooManyRequests = (retry_after_s: number) =>
  new ServerError(429, 'too_many_requests', 'Too many requests. Please wait a moment and try again.', {
    retry_after_s,
  })

export const invalidRequest = (text: string, fields?: ApiError['fields'], code = 'invalid_request') =>
  new ServerError(400, code, text, fields ? { fields } : {})

export const invalidCursor = () =>
  new ServerError(400, 'invalid_cursor', 'This page of the history does not exist', {
    fields: [{ path: 'cursor', message: 'Not a cursor of this list' }],
  })

/** Stripe refused to open a payment page. */
export const checkoutRefused = (cause: unknown) => new RouteFailedError(502, 'checkout_failed', { cause })

/** It is unknown whether Stripe opened a session. Either way nothing is charged before the customer pays. */
export const checkoutUncertain = (cause: unknown) =>
  new RouteFailedError(503, 'checkout_failed', { retry_after_s: 5, cause })

/** The price cannot be read or is not the catalogue's, so nothing is sold. */
export const priceUnavailable = (cause: unknown) =>
  new RouteFailedError(503, 'price_unavailable', { retry_after_s: 60, cause })
export const tooManySeats = ({ most, has }: { readonly most: number; readonly has: number }) =>
  invalidRequest(
    `An organization can have ${most} seats at most${has > 0 ? `, and this one has ${has} already` : ''}`,
    [{ path: has > 0 ? 'quantity' : 'seats', message: `At most ${Math.max(0, most - has)}` }],
    'too_many_seats',
  )

/** Stripe has one currency for all plans of a customer. */
export const currencyBound = (currency: string) =>
  new ServerError(
    409,
    'currency_bound',
    `Your plan is billed in ${currency}, and so is everything you buy beside it.`,
  )

export const noSubscription = () =>
  new ServerError(409, 'no_subscription', 'This organization has no subscription. Set up billing first.')
export const renewalUnderWay = (renewal: Renewal) =>
  new ServerError(
    409,
    'renewal_under_way',
    renewal === 'late'
      ? 'The renewal of the plan takes longer than usual. Please try again when the payment has been taken.'
      : 'The plan is being renewed. Please try again when the payment has been taken, usually within an hour.',
  )

export const noPlan = () => new ServerError(409, 'no_subscription', 'There is no plan that could be changed.')

export const notAdmin = (doing: string) =>
  new ServerError(403, 'not_admin', `Only organization administrators can ${doing}.`)

export const otherSeatRole = (seat: { email: string; role: string; status: string }) =>
  new ServerError(
    409,
    'other_seat_role',
    seat.status === 'pending'
      ? `${seat.email} is already invited as ${seat.role}. Revoke the invitation first to change the role.`
      : `${seat.email} already has a seat as ${seat.role}. Roles are changed in the organization’s settings.`,
  )

export const alreadyHasSeat = (email: string) =>
  new ServerError(409, 'already_has_seat', `${email} already has a seat`)

export const alreadyMember = (email: string) =>
  new ServerError(
    409,
    'already_member',
    `${email} is already a member of the organization. Assign a seat in Seat Management instead.`,
  )

/** The person has left, or the invitation was ended, since the request began. */
export const membershipChanged = () => new RouteFailedError(409, 'membership_changed')

export const invitationNotPending = (status: string) =>
  new ServerError(409, 'invitation_not_pending', `The invitation is ${status} and can no longer be revoked`)

export const tooManyEditors = () =>
  new ServerError(
    409,
    'too_many_editors',
    `You have ${editorsMax} connected editors, which is the maximum. Revoke one on your dashboard, then try again.`,
  )

export const reasonRequired = () =>
  new ServerError(400, 'reason_required', 'Enter a reason: your colleagues read it in the audit log', {
    fields: [{ path: 'reason', message: 'Enter a reason' }],
  })
const actRefusalStatus: Readonly<Record<RefusalCode, number>> = {
  reason_required: 400,
  target_not_found: 404,
  act_under_way: 409,
  not_possible: 422,
  act_id_reused: 422,
}
/** `text` names people where `refused` has their ids. */
export const actRefused = (refused: Extract<RequestedAct, { outcome: 'refused' }>, text: string) =>
  new ServerError(actRefusalStatus[refused.code], refused.code, text, {
    ...(refused.code === 'reason_required' && { fields: [{ path: 'reason', message: refused.error }] }),
    ...(refused.other && {
      details: {
        act_id: refused.other.id,
        by: refused.other.requested_by,
        since: refused.other.requested_at.toISOString(),
      },
    }),
  })
export const actNotFound = () => new ServerError(404, 'act_not_found', 'Act not found')
export const actNotWaiting = (state: string) =>
  new ServerError(409, 'act_not_waiting', `It no longer waits for approval: it is ${state}`)
export const wrongAddress = () =>
  new ServerError(422, 'wrong_address', 'That is not the email address of the person who is to be erased', {
    fields: [{ path: 'typed_address', message: 'Type the address as the person’s case has it' }],
  })
/** In the form with which Clerk's `useReverification` asks for the password, and then repeats the call. */
export const reverificationRequired = () =>
  new ServerError(403, 'reverification_required', 'Please confirm with your password that it is you.', {
    details: reverificationError(freshFactor),
  })
export const ownApproval = () =>
  new ServerError(
    403,
    'own_approval',
    'A second person has to approve: neither the requester nor the person whom it concerns',
  )

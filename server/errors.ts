import type { ApiError } from '../schema/api/error.ts'
import { unknownEditorText } from '../schema/api/redirect-uri.ts'
import type { OtherPayer, SpendingRefusal } from '../schema/api/spending.ts'
import { editorsMax } from '../schema/extension/tokens.ts'
import { holdsOfPersonMax } from '../schema/ledger/read/open-holds.ts'
import type { RefusalCode, RequestedAct } from '../schema/support/request-act.ts'

/** An error for the caller: `message` for people, `code` for programs. Its `cause` only goes to the log. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly status: number
  readonly code: string
  readonly fields: ApiError['fields']
  readonly retry_after_s: number | undefined
  /** More fields of the response, for callers that handle this particular error. */
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(
    status: number,
    code: string,
    text: string,
    more: {
      fields?: ApiError['fields']
      retry_after_s?: number
      details?: Readonly<Record<string, unknown>>
      cause?: unknown
    } = {},
  ) {
    super(text, 'cause' in more ? { cause: more.cause } : undefined)
    this.status = status
    this.code = code
    this.fields = more.fields
    this.retry_after_s = more.retry_after_s
    this.details = more.details
  }
}

/** Answers with the failure text of its route (`failure`) and the given status and code. */
export class RouteFailedError extends Error {
  override readonly name = 'RouteFailedError'
  readonly status: number
  readonly code: string
  readonly retry_after_s: number | undefined

  constructor(status: number, code: string, more: { retry_after_s?: number; cause?: unknown } = {}) {
    super(code, 'cause' in more ? { cause: more.cause } : undefined)
    this.status = status
    this.code = code
    this.retry_after_s = more.retry_after_s
  }

  withText(text: string): ServerError {
    const { status, code, retry_after_s, cause } = this
    return new ServerError(status, code, text, {
      ...(retry_after_s !== undefined && { retry_after_s }),
      ...(cause !== undefined && { cause }),
    })
  }
}

/** Stripe answered, but an object that `npm run stripe:setup` creates is missing or different. */
export class StripeAnswerError extends Error {
  override readonly name = 'StripeAnswerError'
}

export const unauthenticated = (cause?: unknown) =>
  new ServerError(401, 'unauthenticated', 'User not authenticated', { cause })

export const signInUnavailable = (cause: unknown) =>
  new ServerError(503, 'sign_in_unavailable', 'Sign-in is not available right now. Please try again later.', {
    retry_after_s: 5,
    cause,
  })

export const forbidden = () => new ServerError(403, 'forbidden', 'You can only do this for your own account')

export const accountSuspended = () =>
  new ServerError(403, 'account_suspended', 'This account is suspended. Please contact support.')
export const accountLocked = () =>
  new ServerError(403, 'account_locked', 'This account is locked at the moment. Please try again later.')

export const tooManyRequests = (retry_after_s: number) =>
  new ServerError(429, 'too_many_requests', 'Too many requests. Please wait a moment and try again.', {
    retry_after_s,
  })

export const foreignHost = () =>
  new ServerError(421, 'foreign_host', 'This server does not answer for the host of this address')
export const pathTooLong = () => new ServerError(414, 'path_too_long', 'The path of this address is too long')
export const notFound = () => new ServerError(404, 'not_found', 'There is nothing at this address')
export const methodNotAllowed = () =>
  new ServerError(405, 'method_not_allowed', 'This address does not support this method')
export const notImplemented = () =>
  new ServerError(501, 'method_not_implemented', 'The server does not support this method')

export const invalidContentType = () =>
  new ServerError(400, 'invalid_content_type', 'The request must have the content type application/json')
export const invalidJson = (cause?: unknown) =>
  new ServerError(400, 'invalid_json', 'The request body is not valid JSON', { cause })
export const bodyTooLarge = (limit_bytes: number) =>
  new ServerError(413, 'body_too_large', `The request body is larger than ${limit_bytes} bytes`)
export const unreadableBody = (cause: unknown) =>
  new ServerError(400, 'unreadable_body', 'The request body could not be read', { cause })
export const invalidRequest = (text: string, fields?: ApiError['fields'], code = 'invalid_request') =>
  new ServerError(400, code, text, fields ? { fields } : {})

export const repeatedField = (name: string) =>
  invalidRequest(`${name} may be given only once`, [{ path: name, message: 'May be given only once' }])

export const invalidIdempotencyKey = () =>
  new ServerError(400, 'invalid_request', 'Idempotency-Key must have 1 to 255 visible ASCII characters')
export const idempotencyKeyReused = () =>
  new ServerError(
    422,
    'idempotency_key_reused',
    'This Idempotency-Key was used before for another request. Please use a new one.',
  )
export const idempotencyKeyInUse = () =>
  new ServerError(
    409,
    'request_in_progress',
    'The first request with this Idempotency-Key is still being processed.',
    { retry_after_s: 1 },
  )

export const amountMismatch = (credits: number) =>
  new ServerError(
    400,
    'amount_mismatch',
    `The amount is not the price of ${credits.toLocaleString('en-US')} credits. Please reload the page.`,
    { fields: [{ path: 'amount', message: 'Not the catalogue price' }] },
  )
export const foreignReturnAddress = (path: 'successUrl' | 'cancelUrl') =>
  new ServerError(400, 'foreign_return_address', `${path} must be an address of this application`, {
    fields: [{ path, message: 'Must be on the application’s own origin' }],
  })
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
export const noCheckoutUrl = () => new ServerError(502, 'checkout_failed', 'No checkout URL received')
export const priceMismatch = () =>
  new ServerError(400, 'price_mismatch', 'This is not the price of the plan. Please reload the page.', {
    fields: [{ path: 'priceId', message: 'Not the catalogue price' }],
  })
export const oneSeatOnly = () =>
  new ServerError(400, 'invalid_request', 'The Pro plan has one seat', {
    fields: [{ path: 'seats', message: 'Must be 1 for Pro' }],
  })
export const tooManySeats = ({ most, has }: { readonly most: number; readonly has: number }) =>
  new ServerError(
    400,
    'too_many_seats',
    `An organization can have ${most} seats at most${has > 0 ? `, and this one has ${has} already` : ''}`,
    { fields: [{ path: has > 0 ? 'quantity' : 'seats', message: `At most ${Math.max(0, most - has)}` }] },
  )
export const alreadySubscribed = (who: 'user' | 'organization') =>
  new ServerError(
    409,
    'already_subscribed',
    who === 'user'
      ? 'You already have a subscription. Open the billing portal to change it.'
      : 'This organization already has a subscription. Open its billing portal to change it.',
  )
/** Stripe has one currency for all plans of a customer. */
export const currencyBound = (currency: string) =>
  new ServerError(
    409,
    'currency_bound',
    `Your plan is billed in ${currency}, and so is everything you buy beside it.`,
  )
/** For a Teams plan that would create a second organization for the same buyer. */
export const alreadyHasTeam = () =>
  new ServerError(
    409,
    'already_subscribed',
    'You already have a Teams subscription. Add seats to it on the Organizations page, or subscribe another organization there.',
  )
export const checkoutInProgress = () =>
  new ServerError(
    409,
    'checkout_in_progress',
    'Your last checkout is still being processed. Please wait a moment.',
    {
      retry_after_s: 5,
    },
  )
export const checkoutSuperseded = () =>
  new ServerError(
    409,
    'checkout_superseded',
    'Another checkout was opened in the meantime. Please continue with that one, or start again.',
  )
export const noSubscription = () =>
  new ServerError(409, 'no_subscription', 'This organization has no subscription. Set up billing first.')
export const noPlan = () => new ServerError(409, 'no_subscription', 'There is no plan that could be changed.')
export const alreadyBilled = (billing_frequency: string) =>
  new ServerError(409, 'already_billed', `The plan is billed ${billing_frequency} already.`)
export const planEnding = () =>
  new ServerError(409, 'plan_ending', 'The plan is set to end. Resume it in the billing portal first.')
export const renewalUnderWay = () =>
  new ServerError(
    409,
    'renewal_under_way',
    'The plan is being renewed. Please try again when the payment has been taken, usually within an hour.',
  )
export const paymentOverdue = () =>
  new ServerError(
    409,
    'payment_overdue',
    'The last payment has failed. Please update the payment method in the billing portal first.',
  )
export const nothingOverdue = () =>
  new ServerError(409, 'nothing_overdue', 'No payment of the plan is overdue. Please reload the page.')
/** The card on file was charged in vain; nothing but another card or the bank's own page helps. */
export const cardDeclined = (reason: string | null, cause: unknown) =>
  new ServerError(
    402,
    'card_declined',
    `The card was declined${reason ? `: ${reason}` : ''}. Update the card and try again.`,
    { cause },
  )
export const paymentUnconfirmed = (cause: unknown) =>
  new ServerError(
    402,
    'confirmation_required',
    'Your bank asks you to confirm this payment. Confirm it on the page of the invoice.',
    { cause },
  )
export const changeScheduled = () =>
  new ServerError(
    409,
    'change_scheduled',
    'A change is scheduled for the next period already. Keep the present plan first.',
  )
export const sessionNotFound = () => new ServerError(404, 'session_not_found', 'Session not found')

/** Also for organizations that exist: non-members must not learn that they do. */
export const organizationNotFound = () =>
  new ServerError(404, 'organization_not_found', 'Organization not found')
export const notAdmin = (doing: string) =>
  new ServerError(403, 'not_admin', `Only organization administrators can ${doing}.`)

export const seatsNeedSubscription = () =>
  new ServerError(402, 'no_subscription', 'This organization has no subscription. Set up billing first.')
export const noSeatsLeft = () =>
  new ServerError(402, 'no_seats_left', 'No available seats. Upgrade your subscription to add more members.')
export const teamIsFull = (seats_total: number) =>
  new ServerError(402, 'no_seats_left', `Maximum of ${seats_total} team members allowed`)
export const otherSeatRole = (seat: { email: string; role: string; status: string }) =>
  new ServerError(
    409,
    'other_seat_role',
    seat.status === 'pending'
      ? `${seat.email} is already invited as ${seat.role}. Revoke the invitation first to change the role.`
      : `${seat.email} already has a seat as ${seat.role}. Roles are changed in the organization’s settings.`,
  )
export const seatNotFound = () =>
  new ServerError(404, 'seat_not_found', 'This person has no active seat in the organization')
export const alreadyHasSeat = (email: string) =>
  new ServerError(409, 'already_has_seat', `${email} already has a seat`)
export const alreadyInvited = () =>
  new ServerError(409, 'already_invited', 'This email has already been invited')
export const alreadyMember = (email: string) =>
  new ServerError(
    409,
    'already_member',
    `${email} is already a member of the organization. Assign a seat in Seat Management instead.`,
  )
/** Clerk's membership limit is reached and could not be raised, although a seat is free. */
export const organizationIsFull = (cause: unknown) =>
  new ServerError(
    409,
    'organization_full',
    'The sign-in service has no room for another member of this organization, although a seat is free. Please contact support.',
    { cause },
  )
/** The person has left, or the invitation was ended, since the request began. */
export const membershipChanged = () => new RouteFailedError(409, 'membership_changed')
/** Also for subscriptions of organizations that the caller is not a member of. */
export const organizationNotInitialized = () =>
  new ServerError(404, 'organization_not_initialized', 'Organization not initialized')
export const invitationNotFound = () =>
  new ServerError(404, 'invitation_not_found', 'Invitation not found in database')
export const invitationNotPending = (status: string) =>
  new ServerError(409, 'invitation_not_pending', `The invitation is ${status} and can no longer be revoked`)
export const invalidTeamEmail = (text: string, cause: unknown) =>
  new ServerError(400, 'invalid_request', text, { fields: [{ path: 'email', message: text }], cause })

export const supportItemNotFound = () =>
  new ServerError(404, 'support_item_not_found', 'Not found, neither in our database nor at Stripe')

export const userNotFound = () => new ServerError(404, 'user_not_found', 'User not found')

/** The token is unknown, expired or revoked; which of these it is must not be revealed. */
export const invalidExtensionToken = () =>
  new ServerError(
    401,
    'invalid_token',
    'The extension token is no longer valid. Please sign in again from your editor.',
  )
export const signInNotFound = () =>
  new ServerError(
    404,
    'sign_in_not_found',
    'This sign-in does not exist. Please start again from your editor.',
  )
export const signInExpired = () =>
  new ServerError(410, 'sign_in_expired', 'This sign-in has expired. Please start again from your editor.')
export const signInUsed = () =>
  new ServerError(
    409,
    'sign_in_used',
    'This sign-in has already been used. Please start again from your editor.',
  )
export const signInUnconfirmed = () =>
  new ServerError(
    409,
    'sign_in_unconfirmed',
    'This page was open for too long. Please reload it and confirm the sign-in again.',
  )
export const foreignExtension = () =>
  invalidRequest('This sign-in was begun by an extension that is not ours. Nothing was sent to it.', [
    { path: 'redirect_uri', message: 'Not one of our extensions' },
  ])
/** Also for an address that is no editor's at all. */
export const unknownEditor = () =>
  invalidRequest(
    unknownEditorText,
    [
      {
        path: 'redirect_uri',
        message: 'Not an address of an editor on our list (EDITORS), nor of this machine',
      },
    ],
    'unknown_editor',
  )
export const invalidGrant = () =>
  new ServerError(
    400,
    'invalid_grant',
    'This sign-in is not finished, has expired, was used before or does not match. Please start again from your editor.',
  )

export const tooManyEditors = () =>
  new ServerError(
    409,
    'too_many_editors',
    `You have ${editorsMax} connected editors, which is the maximum. Revoke one on your dashboard, then try again.`,
  )
/** The same for an editor of another person and for one that does not exist. */
export const editorNotFound = () =>
  new ServerError(404, 'editor_not_found', 'You have no editor with this id')

/** The same for an organization of others and for one that does not exist. */
export const payerNotFound = (text: string, details: { payer: string; other_payers: OtherPayer[] }) =>
  new ServerError(404, 'payer_not_found', text, { details })
export const insufficientCredits = (text: string, details: SpendingRefusal) =>
  new ServerError(402, 'insufficient_credits', text, { details })
/** Only holds stand in the way, which end by themselves. */
export const creditsHeld = (text: string, details: SpendingRefusal, retry_after_s: number) =>
  new ServerError(402, 'credits_held', text, { details, retry_after_s })
/** The payment is made within an hour as a rule, but may be heard at any moment. */
export const renewalInProgress = (text: string, details: SpendingRefusal) =>
  new ServerError(402, 'renewal_in_progress', text, { details, retry_after_s: 60 })
/** The same for a hold of another person and for one that does not exist. */
export const holdNotFound = () => new ServerError(404, 'hold_not_found', 'You have no hold with this id')
export const holdEnded = (how: 'settled' | 'released' | 'expired') =>
  new ServerError(409, `hold_${how}`, holdEndedTexts[how])
const holdEndedTexts = {
  settled: 'This hold is settled already',
  released: 'This hold was released, so its credits are available again',
  expired: 'This hold has expired, so its credits are available again',
}
export const tooManyHolds = (retry_after_s: number) =>
  new ServerError(
    429,
    'too_many_holds',
    `You have ${holdsOfPersonMax} open reservations of credits, which is the maximum. Please try again when other requests have finished.`,
    { retry_after_s },
  )
export const usageKeyTaken = (cause: unknown) =>
  new ServerError(
    409,
    'idempotency_conflict',
    'This idempotency_key was used before for a different request',
    { fields: [{ path: 'idempotency_key', message: 'Was used before' }], cause },
  )

export const invalidSignature = (cause?: unknown) =>
  new ServerError(400, 'invalid_signature', 'The webhook’s signature is not valid', { cause })
export const invalidEvent = (cause?: unknown) =>
  new ServerError(400, 'invalid_event', 'The webhook’s body is not an event', { cause })

export const databaseUnavailable = (
  cause: unknown,
  text = 'An unexpected error occurred. Please try again later.',
) => new ServerError(503, 'temporarily_unavailable', text, { retry_after_s: 5, cause })
export const upstreamUnavailable = (cause: unknown) =>
  new ServerError(502, 'upstream_unavailable', 'A service behind this address does not answer', { cause })
export const unexpected = (cause: unknown) =>
  new ServerError(500, 'internal_error', 'An unexpected error occurred', { cause })

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
/** `text` names people where `refusal` has their ids. */
export const actRefused = (refusal: Extract<RequestedAct, { outcome: 'refused' }>, text: string) =>
  new ServerError(actRefusalStatus[refusal.code], refusal.code, text, {
    ...(refusal.code === 'reason_required' && { fields: [{ path: 'reason', message: refusal.error }] }),
    ...(refusal.other && {
      details: {
        act_id: refusal.other.id,
        by: refusal.other.requested_by,
        since: refusal.other.requested_at.toISOString(),
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
export const ownApproval = () =>
  new ServerError(
    403,
    'own_approval',
    'A second person has to approve: neither the requester nor the person whom it concerns',
  )

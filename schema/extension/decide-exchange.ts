import { createHash, timingSafeEqual } from 'node:crypto'
import { hashSecret } from './secrets.ts'
import type { SignIn } from './sign-ins.ts'
import { hasBegun } from './tokens.ts'

/** What an extension presents to get its token. Its state has identified the sign-in already. */
export interface Exchange {
  readonly code: string
  readonly redirect_uri: string
  readonly code_verifier?: string | undefined
}

/** Reasons for the log. `reused`: everything was right, but the code has been exchanged before. */
export type ExchangeRefusal =
  | 'not_confirmed'
  | 'expired'
  | 'reused'
  | 'other_redirect_uri'
  | 'other_code'
  | 'other_verifier'
  | 'verifier_without_challenge'

/**
 * Decides whether a sign-in gives a token, and to whom. Each needs our code, and one with a challenge the
 * verifier: its kind was fixed when it began, so an exchange cannot choose the easier one.
 */
export function decideExchange(
  signIn: SignIn,
  exchange: Exchange,
  now: Date,
): { readonly user_id: string } | { readonly refusal: ExchangeRefusal } {
  const { user_id } = signIn
  if (exchange.redirect_uri !== signIn.redirect_uri) return { refusal: 'other_redirect_uri' }
  const refusal = refusalOfProof(signIn, exchange)
  if (refusal) return { refusal }
  if (signIn.exchanged_at) return { refusal: 'reused' }
  return signIn.expires_at > now && hasBegun(signIn, now) ? { user_id } : { refusal: 'expired' }
}

function refusalOfProof(
  { code_hash, code_challenge }: SignIn,
  { code, code_verifier }: Exchange,
): ExchangeRefusal | null {
  if (code_hash === null) return 'not_confirmed'
  if (!isEqual(hashSecret(code), code_hash)) return 'other_code'
  if (code_challenge !== null)
    return answersChallenge(code_verifier, code_challenge) ? null : 'other_verifier'
  // The caller believes that a challenge protects this sign-in, and none does (RFC 9700, section 4.8.2).
  return code_verifier === undefined ? null : 'verifier_without_challenge'
}

/** S256 of RFC 7636, the only method that we support. */
function answersChallenge(verifier: string | undefined, challenge: string): boolean {
  if (verifier === undefined) return false
  const answer = createHash('sha256').update(verifier).digest('base64url')
  return isEqual(Buffer.from(answer), Buffer.from(challenge))
}

function isEqual(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right)
}

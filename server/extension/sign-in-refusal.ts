import type { SignInRefusal } from '../../schema/extension/sign-ins.ts'
import { type ServerError, signInExpired, signInNotFound, signInUsed } from '../errors.ts'

const refusals: Readonly<Record<SignInRefusal, () => ServerError>> = {
  unknown: signInNotFound,
  expired: signInExpired,
  used: signInUsed,
}

export function signInRefusal(refusal: SignInRefusal): ServerError {
  return refusals[refusal]()
}

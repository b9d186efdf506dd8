import type { Clerk } from '../clerk.ts'
import { isVerified } from '../entities/email-address.ts'
import { type SignIn, signInUser } from '../entities/sign-in.ts'
import { publicUserData } from './user.ts'
import { verificationFields } from './verification.ts'

export function signInFields(clerk: Clerk, signIn: SignIn) {
  const user = signInUser(clerk, signIn)
  const data = user && publicUserData(clerk, user)
  return {
    object: 'sign_in',
    id: signIn.id,
    status: signIn.status,
    supported_identifiers: ['email_address'],
    identifier: signIn.identifier,
    user_data: data
      ? {
          first_name: data.first_name,
          last_name: data.last_name,
          image_url: data.image_url,
          has_image: data.has_image,
        }
      : null,
    supported_first_factors: supportedFirstFactors(clerk, signIn),
    supported_second_factors: null,
    first_factor_verification: signIn.first_factor ? verificationFields(signIn.first_factor) : null,
    second_factor_verification: null,
    created_session_id: signIn.created_session_id,
    abandon_at: signIn.abandon_at,
  }
}

function supportedFirstFactors(clerk: Clerk, signIn: SignIn) {
  const user = signInUser(clerk, signIn)
  const address = user?.email_addresses.find(
    (row) => row.email_address === signIn.identifier && isVerified(row),
  )
  if (!user || !address) return []
  const byMail = {
    email_address_id: address.id,
    safe_identifier: address.email_address,
    primary: address.id === user.primary_email_address_id,
  }
  return [
    ...(user.password_hash ? [{ strategy: 'password' }] : []),
    { strategy: 'email_code', ...byMail },
    ...(user.password_hash ? [{ strategy: 'reset_password_email_code', ...byMail }] : []),
  ]
}

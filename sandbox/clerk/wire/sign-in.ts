import { isVerified } from '../entities/email-address.ts'
import { signInUser } from '../entities/sign-in.ts'
import { missingSignUpFields, unverifiedSignUpFields } from '../entities/sign-up.ts'
import type { Service } from '../service.ts'
import type { EmailAddress, SignIn, SignUp, User } from '../state.ts'
import { publicUserData } from './organization.ts'
import { verificationFields } from './user.ts'

export function signInFields(service: Service, signIn: SignIn) {
  const user = signInUser(service, signIn)
  const data = user && publicUserData(user)
  return {
    object: 'sign_in_attempt',
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
    supported_first_factors: supportedFirstFactors(service, signIn),
    supported_second_factors: null,
    first_factor_verification: signIn.first_factor ? verificationFields(signIn.first_factor) : null,
    second_factor_verification: null,
    created_session_id: signIn.created_session_id,
    abandon_at: signIn.abandon_at,
  }
}

function supportedFirstFactors(service: Service, signIn: SignIn) {
  const user = signInUser(service, signIn)
  const address = user?.email_addresses.find(
    (row) => row.email_address === signIn.identifier && isVerified(row),
  )
  if (!user || !address) return []
  const reset = { strategy: 'reset_password_email_code', ...byMail(user, address) }
  return [...firstFactorsOf(user, [address]), ...(user.password_hash ? [reset] : [])]
}

/** How a user proves who they are. */
export function firstFactorsOf(user: User, addresses: readonly EmailAddress[]) {
  return [
    ...(user.password_hash ? [{ strategy: 'password' }] : []),
    ...addresses.map((address) => ({ strategy: 'email_code', ...byMail(user, address) })),
  ]
}

function byMail(user: User, { id, email_address }: EmailAddress) {
  return {
    email_address_id: id,
    safe_identifier: email_address,
    primary: id === user.primary_email_address_id,
  }
}

export function signUpFields(signUp: SignUp) {
  return {
    object: 'sign_up_attempt',
    id: signUp.id,
    status: signUp.status,
    required_fields: ['email_address', 'password'],
    optional_fields: ['first_name', 'last_name'],
    missing_fields: signUp.status === 'complete' ? [] : missingSignUpFields(signUp),
    unverified_fields: unverifiedSignUpFields(signUp),
    username: null,
    first_name: signUp.first_name,
    last_name: signUp.last_name,
    email_address: signUp.email_address,
    phone_number: null,
    web3_wallet: null,
    external_account_strategy: null,
    external_account: null,
    has_password: signUp.password_hash !== null || signUp.status === 'complete',
    password_enabled: signUp.password_hash !== null || signUp.status === 'complete',
    custom_action: false,
    external_id: null,
    unsafe_metadata: signUp.unsafe_metadata,
    created_session_id: signUp.created_session_id,
    created_user_id: signUp.created_user_id,
    abandon_at: signUp.abandon_at,
    legal_accepted_at: signUp.legal_accepted_at,
    locale: signUp.locale,
    verifications: {
      email_address: signUp.verification
        ? {
            ...verificationFields(signUp.verification),
            next_action: signUp.verification.status === 'verified' ? '' : 'needs_attempt',
            supported_strategies: ['email_code'],
          }
        : signUp.email_address
          ? // Without a strategy: the components ask for a code only as long as none is named.
            { status: 'unverified', next_action: 'needs_prepare', supported_strategies: ['email_code'] }
          : null,
      phone_number: null,
      web3_wallet: null,
      external_account: null,
    },
  }
}

import { missingSignUpFields, type SignUp, unverifiedSignUpFields } from '../entities/sign-up.ts'
import { verificationFields } from './verification.ts'

export function signUpFields(signUp: SignUp) {
  return {
    object: 'sign_up',
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
          ? { status: 'unverified', next_action: 'needs_prepare', supported_strategies: ['email_code'] }
          : null,
      phone_number: null,
      web3_wallet: null,
      external_account: null,
    },
  }
}

import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../entities/password.ts'
import { mustChooseOrganization } from '../entities/session.ts'
import type { Service } from '../service.ts'
import type { Settings } from '../settings.ts'

/** How the instance is set up. The browser components draw their forms from it. */
export function environmentFields({ settings, instance }: Pick<Service, 'settings' | 'instance'>) {
  return {
    object: 'environment',
    id: 'env_sandbox',
    maintenance_mode: false,
    client_debug_mode: false,
    partitioned_cookies: false,
    auth_config: {
      object: 'auth_config',
      id: 'aconf_sandbox',
      single_session_mode: true,
      claimed_at: null,
      // With it on, changing a password or an address would ask for the password once more.
      reverification: false,
      session_minter: false,
    },
    display_config: displayConfig(settings),
    user_settings: userSettings,
    organization_settings: {
      enabled: instance.organizations_enabled,
      max_allowed_memberships: instance.max_allowed_memberships,
      force_organization_selection: mustChooseOrganization(instance),
      actions: { admin_delete: true },
      domains: { enabled: false, enrollment_modes: [], default_role: 'org:member' },
      slug: { disabled: false },
      organization_creation_defaults: { enabled: false },
    },
    commerce_settings: {
      billing: {
        stripe_publishable_key: null,
        organization: { enabled: false, has_paid_plans: false },
        user: { enabled: false, has_paid_plans: false },
      },
    },
    api_keys_settings: { user_api_keys_enabled: false, orgs_api_keys_enabled: false },
    protect_config: { object: 'protect_config', id: 'protect_sandbox', loaders: [] },
  }
}

function displayConfig({ origin, applicationName }: Settings) {
  return {
    object: 'display_config',
    id: 'display_config_sandbox',
    instance_environment_type: 'production',
    application_name: applicationName,
    branded: false,
    show_devmode_warning: false,
    preferred_sign_in_strategy: 'password',
    theme: {},
    logo_image_url: '',
    favicon_image_url: '',
    support_email: '',
    // A captcha would call a third party.
    captcha_public_key: null,
    captcha_public_key_invisible: null,
    captcha_widget_type: null,
    captcha_provider: 'turnstile',
    captcha_oauth_bypass: [],
    captcha_heartbeat: false,
    home_url: origin,
    sign_in_url: `${origin}/sign-in`,
    sign_up_url: `${origin}/sign-up`,
    user_profile_url: `${origin}/profile`,
    organization_profile_url: `${origin}/organizations`,
    create_organization_url: `${origin}/organizations`,
    after_sign_in_url: origin,
    after_sign_up_url: origin,
    after_sign_out_all_url: origin,
    after_sign_out_one_url: origin,
    after_switch_session_url: origin,
    after_leave_organization_url: origin,
    after_create_organization_url: origin,
    terms_url: '',
    privacy_policy_url: '',
    waitlist_url: '',
    after_join_waitlist_url: '',
  }
}

const off = {
  enabled: false,
  required: false,
  used_for_first_factor: false,
  first_factors: [],
  used_for_second_factor: false,
  second_factors: [],
  verifications: [],
  verify_at_sign_up: false,
}

const userSettings = {
  attributes: {
    email_address: {
      ...off,
      enabled: true,
      required: true,
      used_for_first_factor: true,
      first_factors: ['email_code'],
      verifications: ['email_code'],
      verify_at_sign_up: true,
    },
    password: { ...off, enabled: true, required: true },
    first_name: { ...off, enabled: true },
    last_name: { ...off, enabled: true },
    phone_number: off,
    username: off,
    web3_wallet: off,
    authenticator_app: off,
    backup_code: off,
    passkey: off,
  },
  actions: { delete_self: true, create_organization: true },
  social: {},
  enterprise_sso: { enabled: false, self_serve_sso: false, self_serve_directory_sync: false },
  sign_in: { second_factor: { required: false, enabled: false } },
  sign_up: {
    allowlist_only: false,
    progressive: true,
    captcha_enabled: false,
    mode: 'public',
    legal_consent_enabled: false,
  },
  password_settings: {
    allowed_special_characters: '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~',
    disable_hibp: true,
    min_length: PASSWORD_LENGTH_MIN,
    max_length: PASSWORD_LENGTH_MAX,
    require_special_char: false,
    require_numbers: false,
    require_uppercase: false,
    require_lowercase: false,
    show_zxcvbn: false,
    min_zxcvbn_strength: 0,
  },
  passkey_settings: { allow_autofill: false, show_sign_in_button: false },
  username_settings: { min_length: 4, max_length: 64 },
  attack_protection: { enumeration_protection: { enabled: false } },
}

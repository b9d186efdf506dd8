import { invalidRequest, type StripeFault } from '../errors.ts'

/** What a restricted key may do, by the path of a resource below `/v1/`. */
export type Permissions = Readonly<Record<string, 'read' | 'write'>>

/** Resources whose names have two parts. */
const groups = ['billing_portal', 'checkout', 'tax']

/**
 * Why a restricted key may not make a call; null when it may. GET needs to read, everything else to write,
 * which includes reading: https://docs.stripe.com/keys/restricted-api-keys. The answer's words:
 * https://github.com/stripe/stripe-node/issues/2246
 */
export function refusalOf(
  permissions: Permissions,
  { key, method, path, account }: { key: string; method: string; path: string; account: string },
): StripeFault | null {
  const [, , first = '', second = ''] = path.split('/')
  const resource = groups.includes(first) ? `${first}/${second}` : first
  const access = method === 'GET' ? 'read' : 'write'
  const allowed = permissions[resource]
  if (allowed === 'write' || allowed === access) return null
  const name =
    resource === 'account'
      ? 'rak_accounts_kyc_id_numbers_read'
      : `rak_${resource.replace('/', '_').replace(/s$/, '')}_${access}`
  return invalidRequest(
    `The provided key '${key.slice(0, 8)}***' does not have the required permissions for this endpoint on account '${account}'. Having the '${name}' permission would allow this request to continue.`,
    { status: 403 },
  )
}

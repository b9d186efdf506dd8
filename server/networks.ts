import ipaddr from 'ipaddr.js'

/** A part of the net that one caller may control, and how many budgets its callers share. */
export interface Network {
  readonly name: string
  readonly budgets: number
}

/** Of an IPv6 address (RFC 6177): what a host, a home and a site are given, each with more budgets. */
const prefixes = [
  [64, 1],
  [56, 4],
  [48, 16],
] as const

/**
 * An IPv4 address, however it is written, or the networks of an IPv6 address, the narrowest first: a client
 * usually controls all 2⁶⁴ addresses of its /64, and often all networks of its /56 or /48.
 */
export function networksOf(address: string): readonly [Network, ...Network[]] {
  // A zone is the name of an interface, e.g. fe80::1%eth0.
  const [plain = ''] = address.split('%', 1)
  if (!ipaddr.isValid(plain)) return [{ name: 'unknown', budgets: 1 }]
  const parsed = ipaddr.process(plain)
  if (parsed instanceof ipaddr.IPv4) return [{ name: parsed.toString(), budgets: 1 }]
  const [host, ...wider] = prefixes.map(([bits, budgets]) => {
    const network = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/${bits}`)
    return { name: `${network.toString()}/${bits}`, budgets }
  })
  return [host ?? { name: 'unknown', budgets: 1 }, ...wider]
}

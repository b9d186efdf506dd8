import { describe, expect, test } from 'vitest'
import { networkOf } from './client-address.ts'

describe('a caller is counted by', () => {
  test.each([
    ['198.51.100.7', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['::1', '::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['', 'unknown'],
    ['not an address', 'unknown'],
  ])('a caller is counted by network: %s → %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})

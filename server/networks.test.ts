import { expect, test } from 'vitest'
import { networksOf } from './networks.ts'

test.each([
  ['198.51.100.7', '198.51.100.7'],
  ['::ffff:198.51.100.7', '198.51.100.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['::1', '::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['0:0:0:0:0:ffff:c633:6407', '198.51.100.7'],
  ['', 'unknown'],
  ['not an address', 'unknown'],
])('a caller is counted by network: %s → %s', (address, network) => {
  expect(networksOf(address)[0].name).toBe(network)
})

test('a caller of IPv6 is counted by the networks of a host, a home and a site, each with more budgets', () => {
  expect(networksOf('2001:db8:1:2345::1')).toEqual([
    { name: '2001:db8:1:2345::/64', budgets: 1 },
    { name: '2001:db8:1:2300::/56', budgets: 4 },
    { name: '2001:db8:1::/48', budgets: 16 },
  ])
})

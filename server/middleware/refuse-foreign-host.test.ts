import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { ownHosts } from '../settings.ts'

const { server } = testProduct({ stripe: 'empty', clerk: 'sandbox' })

/** `fetch` sends no other host than that of the address. */
function statusOf(path: string, ...hosts: string[]): Promise<number | undefined> {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const headers = hosts.flatMap((host) => ['host', host])
    const sent = request({ hostname, port, path, headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    sent.on('error', reject).end()
  })
}

describe('a request for another host', () => {
  test.each([
    'rebound.example',
    'rebound.example:3000',
    'localhost.example',
    '169.254.1.1',
    '[::ffff:1]',
    // No address can have these, though each looks like one.
    'x:99999',
    'localhost:99999',
    '[:::]',
    '999.999.999.999',
    'xn--a',
    '..',
    '',
  ])('a request for the host %j is refused', async (host) => {
    for (const path of ['/', '/api/config', '/__sandbox']) expect(await statusOf(path, host)).toBe(421)
    // Load balancers ask for the health by any name.
    expect(await statusOf('/healthz', host)).toBe(200)
  })

  test('a request with two hosts is refused, although one is ours', async () => {
    for (const hosts of [
      ['localhost', 'rebound.example'],
      ['rebound.example', 'localhost'],
      ['localhost', 'localhost'],
    ])
      for (const path of ['/api/config', '/healthz'])
        expect(await statusOf(path, ...hosts), hosts.join()).toBe(400)
  })

  test('a request for our own host is answered, under each loopback name where that is where we are', async () => {
    for (const host of ['localhost', '127.0.0.1:3000', '[::1]:3000', 'LOCALHOST:1']) {
      expect(await statusOf('/api/config', host), host).toBe(200)
    }
  })
})

test('hosts are the one of the application’s address and the configured ones, and in production no others', () => {
  const isOwn = ownHosts('https://app.example.com', { production: true, extra: ['www.example.com:8443'] })
  for (const host of ['app.example.com', 'APP.example.com', 'app.example.com:443', 'www.example.com:8443'])
    expect([host, isOwn(host)]).toEqual([host, true])
  for (const host of ['www.example.com', 'app.example.com:80', 'localhost', '127.0.0.1', 'a@app.example.com'])
    expect([host, isOwn(host)]).toEqual([host, false])
})

test('a path of more than two kilobytes is refused, and a long one that ends in slashes costs nothing', async () => {
  const host = new URL(server.url).host
  expect(await statusOf(`/${'/'.repeat(16_000)}x`, host)).toBe(414)
  expect(await statusOf(`/pricing${'/'.repeat(1000)}`, host)).not.toBe(414)
})

test('an address with NUL is refused, wherever it leads', async () => {
  const host = new URL(server.url).host
  for (const path of ['/support/queues/?status=%00', '/%00', '/api/config?a=%00']) {
    expect(await statusOf(path, host), path).toBe(400)
  }
})

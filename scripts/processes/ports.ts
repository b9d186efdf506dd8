import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports of outgoing connections (32768 on Linux, 49152 elsewhere), above most services. */
const first = 15_000
const last = 32_000
/** A port stays free until its process listens, so it could be handed out twice. */
const found = new Set<number>()

/** A free port, different at every call, outside the range that the system uses for connections. */
export async function findFreePort(): Promise<number> {
  while (true) {
    const port = randomInt(first, last)
    if (found.has(port)) continue
    found.add(port)
    if (await isPortFree(port)) return port
  }
}

/** Whether a server could listen there, on the loopback address as well as on all of them. */
export async function isPortFree(port: number): Promise<boolean> {
  try {
    await listenOnce(port)
    await listenOnce(port, '127.0.0.1')
    return true
  } catch {
    return false
  }
}

function listenOnce(port: number, host?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ port, ...(host ? { host } : {}) }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port))
    })
  })
}

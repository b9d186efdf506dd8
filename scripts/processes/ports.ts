import { createServer } from 'node:net'

/** A free port; the system returns another number at every call. */
export async function findFreePort(): Promise<number> {
  return await listenOnce(0)
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

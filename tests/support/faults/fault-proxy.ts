import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { waitUntil } from '../wait-until.ts'

/**
 * The n-th statement from now on, or the last of those that one connection sends with these words or under
 * these names: before Postgres sees it, or after, with the answer lost.
 */
export interface Strike {
  readonly statement: number | readonly string[]
  readonly moment: 'before' | 'after'
  /** The fault; by default every connection is cut and none is accepted until `repair`. */
  readonly action?: () => void
}

export interface FaultProxy {
  /** The same database, reached through the proxy. */
  url(databaseUrl: string): string
  /** Arms one strike; statements are counted from here. */
  strike(strike: Strike): void
  /** Forgets an armed strike that has not happened. */
  disarm(): void
  /** Whether the armed strike has happened. */
  readonly struck: boolean
  /** Whether a strike is still to happen. */
  readonly armed: boolean
  /** Cuts every connection and lets none in: from outside, a process behind the proxy is dead. */
  cut(): void
  repair(): void
  /** Silences the present connections without closing them, as a power failure does. New ones work. */
  silence(): void
  /** Leads new connections to another address; the present ones stay where they are, as in a failover. */
  move(address: string): void
  close(): Promise<void>
}

/**
 * A TCP proxy between a process and its Postgres (or Redis) that can count statements, cut the wire at one of
 * them, or let it say nothing any more. It knows just enough of Postgres' protocol to see a statement go by,
 * so the product's code needs no hook for tests. Connections whose application name ends in `-queue` pass
 * uncounted, and so does all that goes to Redis.
 */
export async function startFaultProxy(address: string): Promise<FaultProxy> {
  let { hostname, port: upstreamPort, protocol } = new URL(address)
  const sockets = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  let isCut = false
  let armed: (Strike & { seen: number }) | null = null
  /** The strike that waits for the answer to its statement; only one whose turn it still is happens. */
  let awaited: Strike | null = null
  let struck = false

  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  const happen = (strike: Strike) => {
    armed = null
    awaited = null
    struck = true
    if (strike.action) strike.action()
    else cut()
  }
  const server = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connect(Number(upstreamPort), hostname)
    let strikeOnAnswer: Strike | null = null
    const counter = createStatementCounter()
    /** How many of the words that the strike waits for this connection has sent. */
    const progress = new WeakMap<Strike, number>()
    const isReached = (strike: Strike & { seen: number }, sent: Sent) => {
      if (typeof strike.statement === 'number') {
        strike.seen += sent.statements
        return strike.seen >= strike.statement
      }
      const words = strike.statement
      const seen = progress.get(strike) ?? 0
      const found = sent.text.includes(words[seen] ?? '') ? seen + 1 : seen
      progress.set(strike, found)
      return found === words.length
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (chunk) => {
      if (silent.has(client)) return
      const sent = protocol === 'redis:' ? nothing : counter.count(chunk)
      if (armed && sent.statements > 0 && isReached(armed, sent)) {
        if (armed.moment === 'before') {
          happen(armed)
          return
        }
        strikeOnAnswer = armed
        awaited = armed
        armed = null
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (silent.has(upstream)) return
      const strike = strikeOnAnswer
      strikeOnAnswer = null
      if (strike && strike === awaited) {
        happen(strike)
        return
      }
      client.write(chunk)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url(databaseUrl) {
      const url = new URL(databaseUrl)
      url.hostname = '127.0.0.1'
      url.port = String(port)
      return url.href
    },
    strike(strike) {
      struck = false
      armed = { ...strike, seen: 0 }
    },
    disarm() {
      armed = null
      awaited = null
    },
    get armed() {
      return armed !== null || awaited !== null
    },
    get struck() {
      return struck
    },
    cut,
    repair() {
      isCut = false
    },
    silence() {
      for (const socket of sockets) silent.add(socket)
    },
    move(target) {
      ;({ hostname, port: upstreamPort, protocol } = new URL(target))
    },
    async close() {
      // The service closes first; a connection cut meanwhile emits an error without a listener.
      if (!isCut) await waitUntil(() => sockets.size === 0, 'the connections through the proxy to be closed')
      cut()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

interface Sent {
  readonly statements: number
  readonly text: string
}

const nothing: Sent = { statements: 0, text: '' }

/** Counts simple queries and executions in one connection's stream of frontend messages. */
function createStatementCounter() {
  let rest = Buffer.alloc(0)
  let isStarted = false
  let isIgnored = false
  return {
    count(chunk: Buffer): Sent {
      let statements = 0
      let text = ''
      const sent = () => ({ statements, text })
      rest = Buffer.concat([rest, chunk])
      while (true) {
        const header = isStarted ? 1 : 0
        if (rest.length < header + 4) return sent()
        const length = rest.readInt32BE(header) + header
        if (rest.length < length) return sent()
        const message = rest.subarray(0, length)
        rest = rest.subarray(length)
        if (!isStarted) {
          isStarted = true
          isIgnored = message.includes('-queue\0')
        } else if (!isIgnored) {
          text += message.toString('latin1')
          if (message[0] === 0x51 || message[0] === 0x45) statements++
        }
      }
    },
  }
}

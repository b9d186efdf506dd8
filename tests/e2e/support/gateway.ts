import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createProxyServer } from 'httpxy'

/**
 * A gateway in front of the product, as in production, where a release can remove code of open pages and
 * calls can get foreign answers.
 */
export interface Gateway {
  readonly url: string
  /** How many documents were asked for since code was last lost. */
  documents(): number
  /** Answers 404 for these files, until more documents than these have been asked for. */
  lose(files: RegExp, forDocuments: number): void
  /** From now on calls under this path fail in this way; `none` ends it. */
  fail(path: string, fault: Fault | 'none'): void
  close(): void
}

const faults = {
  /** The server is not there, and the gateway says so with a page of its own. */
  bad_gateway: (_request: IncomingMessage, response: ServerResponse) =>
    answerPage(response, 502, '<h1>502 Bad Gateway</h1>'),
  /** A foreign page answers, as the sign-in page of a hotel's network does. */
  foreign_page: (_request: IncomingMessage, response: ServerResponse) =>
    answerPage(response, 200, '<h1>Welcome to our network</h1>'),
  /** The connection is closed without an answer. */
  no_answer: (request: IncomingMessage) => request.destroy(),
  /** The call goes on to the server without its Authorization header, which some gateways take away. */
  no_credentials: (request: IncomingMessage) => {
    delete request.headers.authorization
  },
} as const
type Fault = keyof typeof faults

export async function startGateway(appUrl: string): Promise<Gateway> {
  const proxy = createProxyServer({ target: appUrl })
  let documents = 0
  let lost = { files: /$^/, forDocuments: 0 }
  const failing = new Map<string, Fault>()
  const server = createServer((request, response) => {
    if (request.headers['sec-fetch-dest'] === 'document') documents++
    const path = request.url ?? ''
    if (documents <= lost.forDocuments && lost.files.test(path)) {
      response.writeHead(404).end()
      return
    }
    showOwnAddress(request, appUrl)
    const met = [...failing].find(([prefix]) => path.startsWith(prefix))?.[1]
    if (met) faults[met](request, response)
    if (response.writableEnded || request.destroyed) return
    void proxy.web(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    documents: () => documents,
    lose(files, forDocuments) {
      documents = 0
      lost = { files, forDocuments }
    },
    fail(path, fault) {
      if (fault === 'none') failing.delete(path)
      else failing.set(path, fault)
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function answerPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { 'content-type': 'text/html' }).end(html)
}

/** Session tokens name the origin, and the server accepts only those of its own address. */
function showOwnAddress(request: IncomingMessage, appUrl: string): void {
  for (const name of ['origin', 'referer'] as const) {
    const value = request.headers[name]
    if (value) request.headers[name] = value.replace(new URL(value).origin, new URL(appUrl).origin)
  }
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createProxyServer } from 'httpxy'

/** The product behind an address of its own, where a release can take code away from pages that are open. */
export interface Release {
  readonly url: string
  /** How many documents were asked for since code was last lost. */
  documents(): number
  /** Answers 404 for these files, until more documents than these have been asked for. */
  lose(files: RegExp, forDocuments: number): void
  close(): void
}

export async function startRelease(appUrl: string): Promise<Release> {
  const proxy = createProxyServer({ target: appUrl })
  let documents = 0
  let lost = { files: /$^/, forDocuments: 0 }
  const server = createServer((request, response) => {
    if (request.headers['sec-fetch-dest'] === 'document') documents++
    if (documents <= lost.forDocuments && lost.files.test(request.url ?? '')) {
      response.writeHead(404).end()
      return
    }
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
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

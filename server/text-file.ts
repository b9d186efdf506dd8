import { Readable } from 'node:stream'
import type { AppContext } from './context.ts'

/** An answer that is a file. Its text is read as it is sent, so that its length does not matter. */
export class TextFile {
  readonly name: string
  readonly #parts: AsyncIterable<string>

  constructor(name: string, parts: AsyncIterable<string>) {
    this.name = name
    this.#parts = parts
  }

  /** Waits for the first part: earlier failures are ordinary answers, later ones abort the connection. */
  async send(ctx: AppContext, type: string): Promise<void> {
    const parts = this.#parts[Symbol.asyncIterator]()
    const first = await parts.next()
    ctx.type = `${type}; charset=utf-8`
    ctx.attachment(this.name)
    ctx.set('cache-control', 'no-store')
    const body = Readable.from(rest(first, parts, type === 'text/csv' ? byteOrderMark : ''))
    // Koa would leave the response open: the caller could not tell that the rest is missing.
    body.once('error', (error) => {
      ctx.state.requestLog.log.error({ err: error }, 'A file could not be finished')
      ctx.res.destroy()
    })
    ctx.body = body
  }
}

/** Without it Excel reads the file in another encoding. */
const byteOrderMark = '\uFEFF'

async function* rest(
  first: IteratorResult<string>,
  parts: AsyncIterator<string>,
  mark: string,
): AsyncGenerator<string> {
  if (mark) yield mark
  for (let part = first; !part.done; part = await parts.next()) yield part.value
}

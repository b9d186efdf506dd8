import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import type { ArchivedFile } from './manifest.ts'

/** A row as `COPY … TO` printed it, by column. */
export type Row = ReadonlyMap<string, string | null>

/**
 * The rows of an archive's file, one at a time. Whatever is not as the manifest says is reported when the
 * file has been read: its bytes, its digest, its number of rows, or that it cannot be read at all.
 */
export async function* readRows(
  path: string,
  file: ArchivedFile,
  problem: (what: string) => void,
): AsyncGenerator<Row> {
  const sha256 = createHash('sha256')
  let bytes = 0
  let rows = 0
  try {
    const stored = createReadStream(path)
    stored.on('data', (chunk) => {
      sha256.update(chunk)
      bytes += chunk.length
    })
    const unpacked = createGunzip()
    stored.on('error', (error) => unpacked.destroy(error))
    for await (const line of splitLines(stored.pipe(unpacked))) {
      rows++
      yield parseRow(line, file.columns)
    }
  } catch (error) {
    problem(`${file.name} cannot be read: ${(error as Error).message}`)
    return
  }
  if (bytes !== file.bytes || sha256.digest('hex') !== file.sha256)
    problem(`${file.name} has another digest than its manifest says`)
  if (rows !== file.rows) problem(`${file.name} has ${rows} rows, and its manifest says ${file.rows}`)
}

async function* splitLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of stream) {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, start)) {
      yield data.toString('utf8', start, end)
      start = end + 1
    }
    rest = data.subarray(start)
  }
  if (rest.length > 0) yield rest.toString('utf8')
}

function parseRow(line: string, columns: readonly string[]): Row {
  const values = line.split('\t')
  if (values.length !== columns.length)
    throw new Error(`a row has ${values.length} columns instead of ${columns.length}`)
  return new Map(columns.map((column, index) => [column, parseValue(values[index] ?? '')]))
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** https://www.postgresql.org/docs/18/sql-copy.html#SQL-COPY-FILE-FORMATS: the text format. */
function parseValue(text: string): string | null {
  if (text === '\\N') return null
  return text.includes('\\')
    ? text.replaceAll(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter)
    : text
}

export function textOf(row: Row, column: string): string {
  const value = row.get(column)
  if (value === null || value === undefined) throw new Error(`${column} is missing`)
  return value
}

export function numberOf(row: Row, column: string): number {
  const number = Number(textOf(row, column))
  if (!Number.isSafeInteger(number)) throw new Error(`${column} is no whole number`)
  return number
}

/** A bytea, in hex. */
export function hexOf(row: Row, column: string): string {
  return textOf(row, column).slice('\\x'.length)
}

/** A timestamptz of a session in UTC, in microseconds since 1970. */
export function microsecondsOf(row: Row, column: string): number {
  const text = textOf(row, column)
  const parts = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/.exec(text)
  if (!parts) throw new Error(`${column} is no time: ${text}`)
  return Date.parse(`${parts[1]}T${parts[2]}Z`) * 1000 + Number((parts[3] ?? '').padEnd(6, '0'))
}

import { createWriteStream, type WriteStream as FileStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { WriteStream } from 'node:tty'
import { prettyFactory } from 'pino-pretty'

export type Output = {
  /**
   * A line of one of the processes. Where a folder for logs is given it goes to a file there; else it is
   * written pretty on a terminal, and as one JSON object a line for anything else.
   */
  readonly line: (source: string, line: string) => void
  /** A message of the launcher, always as plain text. */
  readonly say: (message: string) => void
  /** The last lines that went to files, for a start that fails. */
  readonly latest: () => readonly string[]
}

const latestKept = 20

export function createOutput(stream: NodeJS.WriteStream | WriteStream, logFolder?: string): Output {
  const write = (text: string) => stream.write(text.endsWith('\n') ? text : `${text}\n`)
  stream.on('error', () => undefined)
  const latest: string[] = []
  const toFile = logFolder && fileLine(logFolder)
  const line: Output['line'] = toFile
    ? (source, text) => {
        toFile(source, text)
        if (latest.push(`${source} ${text}`) > latestKept) latest.shift()
      }
    : stream.isTTY
      ? prettyLine(write)
      : jsonLine(write)
  return { line, say: write, latest: () => latest }
}

/** A file for each process, of this start alone. It is made with the first line, when the folder is ours. */
function fileLine(folder: string): Output['line'] {
  const files = new Map<string, FileStream>()
  return (source, line) => {
    let file = files.get(source)
    if (!file) {
      mkdirSync(folder, { recursive: true })
      file = createWriteStream(join(folder, `${source}.log`))
      files.set(source, file)
    }
    file.write(`${line}\n`)
  }
}

function prettyLine(write: (text: string) => void): Output['line'] {
  const pretty = prettyFactory({
    colorize: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,name,process,req,res,responseTime',
  })
  return (source, line) => {
    const text = isJson(line) ? pretty(line) : line
    write(`${source.padEnd(7)} ${text}`)
  }
}

/** Adds the name to the object, unless the process gives one; the rest of the line is unchanged. */
function jsonLine(write: (text: string) => void): Output['line'] {
  return (source, line) => {
    const name = JSON.stringify(source)
    if (line === '{}' || !isJson(line)) return write(`{"process":${name},"msg":${JSON.stringify(line)}}`)
    write(line.includes('"process":') ? line : `{"process":${name},${line.slice(1)}`)
  }
}

function isJson(line: string): boolean {
  return line.startsWith('{') && line.endsWith('}')
}

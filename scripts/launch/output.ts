import type { WriteStream } from 'node:tty'
import { prettyFactory } from 'pino-pretty'

export type Output = {
  /** A line of one of the processes: pretty on a terminal, one JSON object a line for anything else. */
  readonly line: (source: string, line: string) => void
  /** A message of the launcher, always as plain text. */
  readonly say: (message: string) => void
}

export function createOutput(stream: NodeJS.WriteStream | WriteStream): Output {
  const write = (text: string) => stream.write(text.endsWith('\n') ? text : `${text}\n`)
  stream.on('error', () => undefined)
  return { line: stream.isTTY ? prettyLine(write) : jsonLine(write), say: write }
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

/**
 * Starts every npm script: `node scripts/run.mjs <program> …`. Installs what the program needs, then runs it
 * on the pinned node with this process's arguments, input and output, and ends with its exit code. Plain
 * JavaScript without dependencies, because on a bare clone there are none and `node` is whichever one the
 * machine has.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import { bin, bootstrap, modules, windows } from './bootstrap.mjs'

const [program = '', ...rest] = process.argv.slice(2)
bootstrap()

/**
 * A script of the repository, or a tool of the install. The shell of Windows finds `vitest.cmd` for `vitest`.
 */
const [command, args] = program.endsWith('.ts') ? ['node', [program, ...rest]] : [program, rest]
const child = spawn(command, args, {
  stdio: 'inherit',
  shell: windows,
  env: {
    // Every process would strip the types of the same sources again: 0.4 of a server's 1.0 s of CPU to load.
    NODE_COMPILE_CACHE: join(modules, '.cache', 'node'),
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH || ''}`,
  },
})

/** A terminal sends these to every process in front of it, so passing them on would be a second Ctrl-C. */
const fromTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY)
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => fromTerminal || child.kill(signal))
process.on('SIGTERM', () => child.kill('SIGTERM'))

child.on('error', (error) => {
  process.stderr.write(`setup: ${program || 'no program'} could not be started: ${error.message}\n`)
  process.exitCode = 127
})
child.on('exit', (code, signal) => {
  process.exitCode = signal ? 128 + constants.signals[signal] : code
})

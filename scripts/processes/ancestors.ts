import { readFileSync } from 'node:fs'

/**
 * Who started this process, and who started that one: npm puts a shell in between, and when npm is killed it is the shell
 * that the system hands to another parent. When the list changes, one of them is gone.
 */
export function readAncestors(): string {
  return `${process.ppid} ${parentOf(process.ppid)}`
}

/** On Linux only; elsewhere the shell is replaced by the program it runs. */
function parentOf(pid: number): string {
  try {
    return /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? ''
  } catch {
    return ''
  }
}

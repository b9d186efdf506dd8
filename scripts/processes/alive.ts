import { setTimeout as delay } from 'node:timers/promises'

/** EPERM means that the process exists and belongs to another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** For processes that are not our children, for which there is no exit event. */
export async function waitForDeath(pid: number, patience_ms: number): Promise<boolean> {
  const deadline = Date.now() + patience_ms
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false
    await delay(25)
  }
  return true
}

import { describe } from 'vitest'
import { isLong } from './long.ts'

/** A `describe` that only the long run has. The file says what proves the same by default. */
export function describeLong(name: string, tests: () => void): void {
  if (isLong) describe(name, () => tests())
}

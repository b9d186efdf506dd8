import { afterAll, beforeAll } from 'vitest'
import { findLeftBehind, readSharedState, type SharedState } from './shared-state.ts'

/**
 * Vitest runs this before each test file. What a file imports may add listeners and globals, as it does in
 * production; what its tests and hooks change, they give back. The environment and the folder are not to be
 * changed by an import either.
 */
const { environment, folder } = readSharedState()
let before: SharedState

beforeAll(() => {
  before = { ...readSharedState(), environment, folder }
})

// The last of all hooks of the file, because it is the first that is registered.
afterAll(() => {
  const left = findLeftBehind(before, readSharedState())
  if (left.length > 0) {
    throw new Error(`This file leaves something behind for the files after it:\n- ${left.join('\n- ')}`)
  }
})

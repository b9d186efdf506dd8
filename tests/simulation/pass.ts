import type { World } from './world.ts'

/** Lets time pass everywhere. */
export async function pass(world: World, seconds: number): Promise<void> {
  world.advance(seconds * 1000)
  await world.stripeSandbox.knob('clock/advance', { seconds })
}

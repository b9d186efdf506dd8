/**
 * Which histories are played. On a developer's machine other ones every time; in continuous integration always the same, so that
 * a red run means that a change broke something. SIMULATION_SEED plays those of a report again.
 */
export const seed = process.env.SIMULATION_SEED
  ? Number(process.env.SIMULATION_SEED)
  : process.env.CI
    ? 20_261_120
    : Date.now() % 2 ** 31

/** How many histories on each queue backend; SIMULATION_RUNS asks for more. */
export function numRuns(usual: number): number {
  return Number(process.env.SIMULATION_RUNS || usual)
}

/** How long a difference may last. Whoever looks for failures wants to see them sooner. */
export const patience_ms = Number(process.env.SIMULATION_PATIENCE_MS || 30_000)

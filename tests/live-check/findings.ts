/** What a step saw, without ids and times, so that two accounts can be compared. */
export type Finding =
  | string
  | number
  | boolean
  | null
  | readonly Finding[]
  | { readonly [name: string]: Finding }
export type Findings = Readonly<Record<string, Finding>>

export type Step = readonly [name: string, see: () => Promise<Finding>]

/** Plays steps in order. One that breaks is a finding too, and those after it are still played. */
export async function play(steps: readonly Step[], say: (line: string) => void): Promise<Findings> {
  const findings: Record<string, Finding> = {}
  for (const [name, see] of steps) {
    try {
      findings[name] = await see()
      say(`  played: ${name}`)
    } catch (error) {
      const broke = error instanceof Error ? error.message : String(error)
      findings[name] = { broke }
      say(`  broke:  ${name}: ${broke}`)
    }
  }
  return findings
}

/** Each difference as a line for people, with the place that differs. */
export function describeDifferences(expected: Finding, found: Finding, place = ''): string[] {
  if (isBranch(expected) && isBranch(found)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(found)])
    return [...names].flatMap((name) =>
      describeDifferences(
        (expected as Findings)[name] ?? null,
        (found as Findings)[name] ?? null,
        place ? `${place} › ${name}` : name,
      ),
    )
  }
  if (JSON.stringify(expected) === JSON.stringify(found)) return []
  return [`${place}\n    stand-in: ${JSON.stringify(expected)}\n    here:     ${JSON.stringify(found)}`]
}

function isBranch(finding: Finding): finding is { readonly [name: string]: Finding } {
  return typeof finding === 'object' && finding !== null && !Array.isArray(finding)
}

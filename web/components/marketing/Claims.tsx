import { type Claim, samplesIn } from '../../content/site/sample.ts'
import { Badge } from '../../ui/Badge.tsx'

/** The one mark of a page that shows content which is not the operator's yet. */
export function SampleMark({ of, className }: { of: unknown; className?: string }) {
  if (samplesIn(of).length === 0) return null
  return (
    <p className={className}>
      <Badge>Sample content</Badge>
    </p>
  )
}

/** Who says so, and when, where it is given. */
export function SourceOf({ claim: { source, as_of } }: { claim: Claim }) {
  const parts = [source, as_of && `as of ${as_of}`].filter(Boolean)
  return parts.length > 0 && <span className="block text-faint text-xs">{parts.join(', ')}</span>
}

export function isClaimed(claim: Claim | null): claim is Claim {
  return claim !== null
}

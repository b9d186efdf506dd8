import { FlaskConical } from 'lucide-react'
import { useWebConfig } from '../api/catalogue.ts'
import { Badge } from '../ui/Badge.tsx'

/** Shown while payments and sign-in are stand-ins, so that nobody takes them for real money. */
export function SandboxMarker() {
  const { sandbox } = useWebConfig()
  if (!sandbox) return null
  return (
    <Badge tone="caution" title="Payments and sign-in are stand-ins here. No real money moves.">
      <FlaskConical aria-hidden="true" />
      Sandbox
    </Badge>
  )
}

import { FlaskConical } from 'lucide-react'
import { useWebConfig } from '../api/catalogue.ts'
import { Badge } from '../ui/Badge.tsx'

/** Shown while payments and sign-in are simulated, so that nobody mistakes them for real ones. */
export function SandboxMarker() {
  const { sandbox } = useWebConfig()
  if (!sandbox) return null
  return (
    <Badge tone="caution" title="Payments and sign-in are simulated here. No real money is charged.">
      <FlaskConical aria-hidden="true" />
      Sandbox
    </Badge>
  )
}

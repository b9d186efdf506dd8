import { Compass } from 'lucide-react'
import { Link } from 'react-router-dom'
import { StatusView } from '../../components/StatusView.tsx'
import { usePageTitle } from '../../components/usePageTitle.ts'
import { Button } from '../../ui/Button.tsx'

export function NotFoundPage() {
  usePageTitle('Page not found')
  return (
    <StatusView
      tone="neutral"
      Icon={Compass}
      title="Oops! Page not found"
      text="There is no page at this address. It may have moved, or the link may be incomplete."
      actions={
        <Button asChild>
          <Link to="/">Return to Home</Link>
        </Button>
      }
    />
  )
}

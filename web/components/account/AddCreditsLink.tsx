import { Link } from 'react-router-dom'
import { Button } from '../../ui/Button.tsx'

/** Leads to the form for credits. */
export function AddCreditsLink({ onFollow }: { onFollow?: () => void }) {
  return (
    <Button asChild variant="secondary" size="small">
      <Link to="/dashboard#add-credits" onClick={onFollow}>
        Add credits
      </Link>
    </Button>
  )
}

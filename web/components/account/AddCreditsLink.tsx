import { RouteButton } from '../RouteButton.tsx'

/** Leads to the form for credits. */
export function AddCreditsLink({ onFollow }: { onFollow?: () => void }) {
  return (
    <RouteButton to="/dashboard#add-credits" onClick={onFollow} variant="secondary" size="small">
      Add credits
    </RouteButton>
  )
}

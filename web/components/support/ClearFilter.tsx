import { Button } from '../../ui/Button.tsx'

/** The way out of a list that a filter has emptied. */
export function ClearFilter({ onClear }: { onClear: () => void }) {
  return (
    <Button variant="secondary" size="small" onClick={onClear}>
      Clear the filter
    </Button>
  )
}

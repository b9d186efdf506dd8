import { Button } from '../ui/Button.tsx'
import { useLater } from '../ui/useLater.ts'

const loadConfirmDialog = async () => (await import('../ui/ConfirmDialog.tsx')).ConfirmDialog

interface ConfirmButtonProps {
  label: string
  /** What it acts on, for readers who do not see what it stands beside. */
  of?: string
  busy: boolean
  title: string
  text: string
  confirm: string
  dismiss: string
  onConfirm: () => void
}

/** A button that asks before it acts. */
export function ConfirmButton({ label, of, busy, ...dialog }: ConfirmButtonProps) {
  const ConfirmDialog = useLater(loadConfirmDialog)
  const button = (
    <Button
      variant="secondary"
      size="small"
      aria-label={of === undefined ? undefined : `${label} ${of}`}
      busy={busy}
      disabled={!ConfirmDialog}
    >
      {label}
    </Button>
  )
  return ConfirmDialog ? <ConfirmDialog trigger={button} {...dialog} /> : button
}

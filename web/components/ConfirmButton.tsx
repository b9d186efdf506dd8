import { Button } from '../ui/Button.tsx'
import { useLater } from '../ui/useLater.ts'

const loadConfirmDialog = async () => (await import('../ui/ConfirmDialog.tsx')).ConfirmDialog

interface ConfirmButtonProps {
  label: string
  /** What it acts on, for readers who do not see what it stands beside. */
  of?: string
  variant?: 'secondary' | 'quiet'
  busy: boolean
  disabled?: boolean
  title: string
  text: string
  confirm: string
  dismiss: string
  onConfirm: () => void
}

/** A button that asks before it acts. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, of, variant = 'secondary', busy, disabled, ...dialog } = props
  const ConfirmDialog = useLater(loadConfirmDialog)
  const button = (
    <Button
      variant={variant}
      size="small"
      aria-label={of === undefined ? undefined : `${label} ${of}`}
      busy={busy}
      disabled={disabled || !ConfirmDialog}
    >
      {label}
    </Button>
  )
  return ConfirmDialog ? <ConfirmDialog trigger={button} {...dialog} /> : button
}

import { AlertDialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { dialogStyle, overlayStyle } from './dialogStyle.ts'

interface ConfirmDialogProps {
  trigger: ReactNode
  title: string
  text: ReactNode
  confirm: string
  dismiss: string
  onConfirm: () => void
}

/** Asks before something that cannot be taken back by pressing the button again. */
export function ConfirmDialog({ trigger, title, text, confirm, dismiss, onConfirm }: ConfirmDialogProps) {
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger asChild>{trigger}</AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={overlayStyle} />
        <AlertDialog.Content className={dialogStyle}>
          <AlertDialog.Title className="font-semibold text-lg">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-muted text-sm leading-relaxed [overflow-wrap:anywhere]">
            {text}
          </AlertDialog.Description>
          <div className="mt-6 flex flex-col-reverse gap-2.5 sm:flex-row sm:justify-end">
            <AlertDialog.Cancel asChild>
              <Button variant="secondary">{dismiss}</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button onClick={onConfirm}>{confirm}</Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

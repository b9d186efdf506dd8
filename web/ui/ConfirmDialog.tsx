import { AlertDialog } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'

interface ConfirmDialogProps {
  /** The button that asks. */
  trigger: ReactNode
  title: string
  text: ReactNode
  /** What the button that does it says. */
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
        <AlertDialog.Overlay className="fixed inset-0 z-40 animate-fade-in bg-black/45" />
        <AlertDialog.Content className="fixed top-1/2 left-1/2 z-50 w-[calc(100%-2rem)] max-w-md -translate-x-1/2 -translate-y-1/2 animate-fade-in rounded-card border bg-surface p-6 shadow-float">
          <AlertDialog.Title className="font-semibold text-lg leading-7">{title}</AlertDialog.Title>
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

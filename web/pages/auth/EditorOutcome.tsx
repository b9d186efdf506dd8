import { CircleAlert, CircleCheck, CircleX } from 'lucide-react'
import type { ReactNode } from 'react'
import { StatusView } from '../../components/StatusView.tsx'
import { Button } from '../../ui/Button.tsx'

interface EditorFailureProps {
  text: string
  onRetry?: (() => void) | undefined
  /** In place of the button that closes the window. */
  action?: ReactNode
}

/** Why an editor was not signed in. Nothing can have been spent: an editor without a token spends nothing. */
export function EditorFailure({ text, onRetry, action }: EditorFailureProps) {
  return (
    <StatusView
      tone="critical"
      Icon={CircleAlert}
      title="Authentication Error"
      text={text}
      actions={
        <>
          {onRetry && <Button onClick={onRetry}>Try Again</Button>}
          {action ?? (
            <Button variant="secondary" onClick={() => window.close()}>
              Close Window
            </Button>
          )}
        </>
      }
    >
      <p className="text-muted text-sm">Nothing was sent to the editor, and no credits were spent.</p>
    </StatusView>
  )
}

export function EditorCancelled() {
  return (
    <StatusView
      tone="neutral"
      Icon={CircleX}
      title="Cancelled"
      text="Nothing was sent to the editor. You can close this window."
    />
  )
}

/** Some browsers ask whether to open the editor; a user who declines by mistake needs the link again. */
export function EditorOpened({ address }: { address: string }) {
  return (
    <StatusView
      tone="positive"
      Icon={CircleCheck}
      title="Authentication successful!"
      text="Redirecting to VSCode..."
    >
      <p className="text-muted text-sm">
        You can close this window when your editor is signed in. Nothing has happened?{' '}
        <a href={address} className="text-accent-text underline underline-offset-4">
          Open the editor
        </a>
      </p>
    </StatusView>
  )
}

import { CircleAlert, CircleCheck, CircleX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { StatusView } from '../../components/StatusView.tsx'
import { Button } from '../../ui/Button.tsx'
import { remedyOf } from './editorFailures.ts'

interface EditorFailureProps {
  text: string
  onRetry?: (() => void) | undefined
  error?: unknown
  /** In place of the button that closes the window. */
  action?: ReactNode
}

/** Why an editor was not signed in. Nothing can have been spent: an editor without a token spends nothing. */
export function EditorFailure({ text, onRetry, error, action }: EditorFailureProps) {
  const remedy = remedyOf(error)
  return (
    <StatusView
      tone="critical"
      Icon={CircleAlert}
      title="Authentication Error"
      text={text}
      actions={
        <>
          {onRetry && <Button onClick={onRetry}>Try Again</Button>}
          {action ?? (remedy === null ? <CloseWindow /> : <ToDashboard text={remedy} />)}
        </>
      }
    >
      <p className="text-muted text-sm">Nothing was sent to the editor, and no credits were spent.</p>
    </StatusView>
  )
}

/** In a tab of its own: the sign-in goes on here. */
function ToDashboard({ text }: { text: string }) {
  return (
    <Button asChild variant="secondary">
      <a href="/dashboard#extension-token" target="_blank" rel="noreferrer">
        {text}
      </a>
    </Button>
  )
}

/** Browsers let a script close only windows that a script has opened, or that show their first page. */
function CloseWindow() {
  const [isRefused, setIsRefused] = useState(false)
  if (isRefused) {
    return (
      <p role="status" className="text-muted text-sm">
        Your browser keeps this window open. Close the tab yourself, and return to your editor.
      </p>
    )
  }
  const close = () => {
    window.close()
    setIsRefused(true)
  }
  return (
    <Button variant="secondary" onClick={close}>
      Close Window
    </Button>
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
export function EditorOpened({ address, text }: { address: string; text: string }) {
  return (
    <StatusView tone="positive" Icon={CircleCheck} title="Authentication successful!" text={text}>
      <p className="text-muted text-sm">
        Your editor did not open?{' '}
        <a href={address} className="text-accent-text underline underline-offset-4">
          Open it again
        </a>
        . You can close this window once your editor is signed in.
      </p>
    </StatusView>
  )
}

import { CircleAlert, CircleCheck, CircleX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { unknownEditorText } from '../../../schema/api/redirect-uri.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import { StatusView } from '../../components/StatusView.tsx'
import { Button } from '../../ui/Button.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'
import { editorTexts } from './editorTexts.ts'

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
          {action ?? <CloseWindow />}
        </>
      }
    >
      <p className="text-muted text-sm">Nothing was sent to the editor, and no credits were spent.</p>
    </StatusView>
  )
}

/** In a tab of its own: the sign-in goes on here. */
export function ManageEditors({ label = 'Manage editors' }) {
  return (
    <LinkButton href="/dashboard#extension-token" target="_blank" rel="noreferrer" variant="secondary">
      {label}
    </LinkButton>
  )
}

export function UnknownEditor() {
  return <EditorFailure text={unknownEditorText} action={<ManageEditors label="Generate a token" />} />
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
export function EditorOpened({ address, redirect_uri }: { address: string; redirect_uri: string }) {
  const { editors } = useWebConfig()
  return (
    <StatusView
      tone="positive"
      Icon={CircleCheck}
      title="Authentication successful!"
      text={editorTexts(redirect_uri, editors).redirecting}
    >
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

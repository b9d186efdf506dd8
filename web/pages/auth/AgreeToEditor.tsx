import { useClerk } from '@clerk/clerk-react'
import { MonitorSmartphone } from 'lucide-react'
import { destinationOf } from '../../../schema/api/redirect-uri.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import { StatusView } from '../../components/StatusView.tsx'
import { Button } from '../../ui/Button.tsx'
import { UnknownEditor } from './EditorOutcome.tsx'
import { editorTexts } from './editorTexts.ts'

interface AgreeToEditorProps {
  readonly email: string
  readonly username: string
  /** Where the sign-in ends; an address without a problem. */
  readonly redirect_uri: string
  /** What the editor calls itself. */
  readonly editor_name: string | null
  readonly onAgree: () => void
  readonly onCancel: () => void
}

/** Names whose account goes where, before anything is sent. */
export function AgreeToEditor({
  email,
  username,
  redirect_uri,
  editor_name,
  onAgree,
  onCancel,
}: AgreeToEditorProps) {
  const { signOut } = useClerk()
  const destination = destinationOf(redirect_uri, useWebConfig().editors)
  if (!destination) return <UnknownEditor />
  const { name, address } = destination
  return (
    <StatusView
      tone="neutral"
      Icon={MonitorSmartphone}
      title={editorTexts(redirect_uri, editors).title}
      text="Your editor wants to use your account. It will see your balance and spend your credits. Your other editors stay connected."
      actions={
        <>
          <Button onClick={onAgree}>Connect editor</Button>
          <Button variant="secondary" onClick={onCancel}>
            Cancel
          </Button>
        </>
      }
    >
      <dl className="divide-y divide-line rounded-control border text-sm">
        <div className="px-4 py-3">
          <dt className="text-muted">Account</dt>
          <dd className="mt-0.5 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
            <span className="min-w-0">
              <span className="block break-all font-medium">{email}</span>
              {username !== email && <span className="block break-all text-muted text-xs">{username}</span>}
            </span>
            <button
              type="button"
              className="text-accent-text underline-offset-4 hover:underline"
              onClick={() => void signOut({ redirectUrl: window.location.href })}
            >
              Use another account
            </button>
          </dd>
        </div>
        <div className="px-4 py-3">
          <dt className="text-muted">Destination</dt>
          <dd className="mt-0.5">
            <span className="font-medium">{name}</span>
            {editor_name !== null && (
              <span className="block [overflow-wrap:anywhere]">Says it is “{editor_name}”</span>
            )}
            <span className="block break-all font-mono text-muted text-xs">{address}</span>
          </dd>
        </div>
      </dl>
      <p className="text-muted text-sm">
        Continue only if you just started this sign-in from your editor. If someone sent you this link, close
        this window.
      </p>
    </StatusView>
  )
}

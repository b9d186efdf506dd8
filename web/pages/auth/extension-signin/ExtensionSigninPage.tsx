import { SignInButton, useClerk, useUser } from '@clerk/clerk-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, CircleX, MonitorSmartphone } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'react-router-dom'
import { completeVscodeAuth, prepareVscodeAuth } from '../../../../schema/api/extension-auth.ts'
import { destinationOf } from '../../../../schema/api/redirect-uri.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { ApiFailure, failureText } from '../../../api/failure.ts'
import { editorAddress } from '../../../auth/redirects.ts'
import { StatusView } from '../../../components/StatusView.tsx'
import { usePageTitle } from '../../../components/usePageTitle.ts'
import { Button } from '../../../ui/Button.tsx'

const title = 'VSCode Extension Authentication'

/** What the extension asked for, in the page's address. */
interface AskedSignIn {
  readonly state: string
  readonly redirect_uri: string
}

/** Signs an editor's extension in that cannot do PKCE. Nothing is sent to the editor before its user has agreed here. */
export function ExtensionSigninPage() {
  usePageTitle('Sign in your editor')
  const { isLoaded, user } = useUser()
  const [search] = useSearchParams()
  const { pathname, search: query } = useLocation()
  const [state, redirect_uri] = [search.get('state'), search.get('redirect_uri')]

  if (!state || !redirect_uri) {
    return (
      <FailedView text="Missing required parameters. Please start the authentication flow from VSCode." />
    )
  }
  if (!isLoaded) return <StatusView tone="busy" title="Loading..." text="One moment, please." />
  if (!user) {
    const here = pathname + query
    return (
      <StatusView
        tone="neutral"
        Icon={MonitorSmartphone}
        title={title}
        text="Sign in to connect your VSCode extension"
        actions={
          <SignInButton mode="modal" forceRedirectUrl={here} signUpForceRedirectUrl={here}>
            <Button>Sign In</Button>
          </SignInButton>
        }
      />
    )
  }
  return <SignedIn key={user.id} userId={user.id} asked={{ state, redirect_uri }} />
}

function SignedIn({ userId, asked }: { userId: string; asked: AskedSignIn }) {
  const api = useApi()
  const [isCancelled, setIsCancelled] = useState(false)
  const body = { ...asked, clerk_user_id: userId }
  // A POST as a query: showing the page begins the sign-in, which gives nothing yet.
  const prepared = useQuery({
    queryKey: ['prepare-vscode-auth', body],
    queryFn: ({ signal }) => api(prepareVscodeAuth, { body, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const agreed = useMutation({
    mutationFn: (confirmation: string) => api(completeVscodeAuth, { body: { ...body, confirmation } }),
    onSuccess: () => window.location.assign(editorAddress({ ...asked, code: userId })),
  })
  const error = agreed.error ?? prepared.error

  if (agreed.isSuccess) {
    return (
      <StatusView
        tone="positive"
        Icon={CircleCheck}
        title="Authentication successful!"
        text="Redirecting to VSCode..."
      >
        <p className="text-muted text-sm">You can close this window when your editor is signed in.</p>
      </StatusView>
    )
  }
  if (isCancelled) {
    return (
      <StatusView
        tone="neutral"
        Icon={CircleX}
        title="Cancelled"
        text="Nothing was sent to the editor. You can close this window."
      />
    )
  }
  if (agreed.isPending) return <StatusView tone="busy" title="Completing authentication..." />
  if (error && !prepared.isFetching) {
    const text = failureText(error, 'Failed to complete authentication')
    const mayHelp = !(error instanceof ApiFailure && error.final) || error.code === 'sign_in_unconfirmed'
    const tryAgain = () => {
      agreed.reset()
      void prepared.refetch()
    }
    return <FailedView text={text} {...(mayHelp && { onRetry: tryAgain })} />
  }
  if (!prepared.data) return <StatusView tone="busy" title="Loading..." text="One moment, please." />
  const { confirmation, email } = prepared.data
  const cancel = () => {
    setIsCancelled(true)
    // Browsers close only windows that a script has opened.
    window.close()
  }
  return (
    <AgreeView email={email} asked={asked} onAgree={() => agreed.mutate(confirmation)} onCancel={cancel} />
  )
}

interface AgreeViewProps {
  readonly email: string
  readonly asked: AskedSignIn
  readonly onAgree: () => void
  readonly onCancel: () => void
}

/** Names whose account goes where, before anything is sent. */
function AgreeView({ email, asked, onAgree, onCancel }: AgreeViewProps) {
  const { signOut } = useClerk()
  const destination = destinationOf(asked.redirect_uri)
  return (
    <StatusView
      tone="neutral"
      Icon={MonitorSmartphone}
      title={title}
      text="An editor asks to be signed in to your account. It will be able to see your balance and to spend your credits."
      actions={
        <>
          <Button onClick={onAgree}>Sign in the editor</Button>
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
            <span className="break-all font-medium">{email}</span>
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
            <span className="font-medium">{destination.name}</span>
            <span className="block break-all font-mono text-muted text-xs">{destination.address}</span>
          </dd>
        </div>
      </dl>
      <p className="text-muted text-sm">
        Continue only if you started this yourself, in this editor, a moment ago. If somebody sent you here,
        close this window.
      </p>
    </StatusView>
  )
}

function FailedView({ text, onRetry }: { text: string; onRetry?: () => void }) {
  return (
    <StatusView
      tone="critical"
      Icon={CircleAlert}
      title="Authentication Error"
      text={text}
      actions={
        <>
          {onRetry && <Button onClick={onRetry}>Try Again</Button>}
          <Button variant="secondary" onClick={() => window.close()}>
            Close Window
          </Button>
        </>
      }
    />
  )
}

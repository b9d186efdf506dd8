import { SignInButton } from '@clerk/clerk-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { MonitorSmartphone } from 'lucide-react'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'react-router-dom'
import { editorNameOf } from '../../../../schema/api/editor-name.ts'
import { completeVscodeAuth, prepareVscodeAuth } from '../../../../schema/api/extension-auth.ts'
import { destinationOf } from '../../../../schema/api/redirect-uri.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useWebConfig } from '../../../api/catalogue.ts'
import { editorAddress } from '../../../auth/redirects.ts'
import type { SignedInUser } from '../../../auth/useSignedInUser.ts'
import { useSignedInUser } from '../../../auth/useSignedInUser.ts'
import { StatusView } from '../../../components/StatusView.tsx'
import { usePageTitle } from '../../../components/usePageTitle.ts'
import { Button } from '../../../ui/Button.tsx'
import { AgreeToEditor } from '../AgreeToEditor.tsx'
import {
  EditorCancelled,
  EditorFailure,
  EditorOpened,
  ManageEditors,
  UnknownEditor,
} from '../EditorOutcome.tsx'
import { editorFailures, hasTooManyEditors, mayHelp } from '../editorFailures.ts'
import { editorTexts } from '../editorTexts.ts'
import { usernameOf } from '../username.ts'

/** What the extension asked for, in the page's address. */
interface AskedSignIn {
  readonly state: string
  readonly redirect_uri: string
}

interface SignedInProps {
  readonly user: SignedInUser
  readonly asked: AskedSignIn
  readonly editor_name: string | null
}

/** Sign-in for editors without PKCE. Nothing is sent before the user has agreed here. */
export function ExtensionSigninPage() {
  usePageTitle('Connect your editor')
  const { isLoaded, user } = useSignedInUser()
  const { editors } = useWebConfig()
  const [search] = useSearchParams()
  const { pathname, search: query } = useLocation()
  const [state, redirect_uri] = [search.get('state'), search.get('redirect_uri')]

  if (!state || !redirect_uri) {
    return (
      <EditorFailure text="Missing required parameters. Please start the authentication flow from VSCode." />
    )
  }
  if (!destinationOf(redirect_uri, editors)) return <UnknownEditor />
  if (!isLoaded) return <StatusView tone="busy" title="Loading..." text="One moment, please." />
  if (!user) {
    const here = pathname + query
    const texts = editorTexts(redirect_uri, editors)
    return (
      <StatusView
        tone="neutral"
        Icon={MonitorSmartphone}
        title={texts.title}
        text={texts.connect}
        actions={
          <SignInButton mode="modal" forceRedirectUrl={here} signUpForceRedirectUrl={here}>
            <Button>Sign In</Button>
          </SignInButton>
        }
      />
    )
  }
  const editor_name = editorNameOf(search.get('editor_name') ?? '')
  return <SignedIn key={user.id} user={user} asked={{ state, redirect_uri }} editor_name={editor_name} />
}

function SignedIn({ user, asked, editor_name }: SignedInProps) {
  const api = useApi()
  const [isCancelled, setIsCancelled] = useState(false)
  const body = { ...asked, clerk_user_id: user.id }
  // A POST as a query: showing the page begins the sign-in, which gives nothing yet.
  const prepared = useQuery({
    queryKey: ['prepare-vscode-auth', body, editor_name],
    queryFn: ({ signal }) => api(prepareVscodeAuth, { body: { ...body, editor_name }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  const agreed = useMutation({
    mutationFn: async (confirmation: string) => {
      await api(completeVscodeAuth, { body: { ...body, confirmation } })
      return editorAddress({ ...asked, code: user.id })
    },
    onSuccess: (address) => window.location.assign(address),
  })
  const error = agreed.error ?? prepared.error

  if (agreed.isSuccess) return <EditorOpened address={agreed.data} redirect_uri={asked.redirect_uri} />
  if (isCancelled) return <EditorCancelled />
  if (agreed.isPending) return <StatusView tone="busy" title="Completing authentication..." />
  if (error && !prepared.isFetching) {
    const tryAgain = () => {
      agreed.reset()
      void prepared.refetch()
    }
    const retry = mayHelp(error) ? tryAgain : undefined
    const action = hasTooManyEditors(error) ? <ManageEditors /> : undefined
    return <EditorFailure text={editorFailures.alternative(error)} onRetry={retry} action={action} />
  }
  if (!prepared.data) return <StatusView tone="busy" title="Loading..." text="One moment, please." />
  const { confirmation, email } = prepared.data
  const cancel = () => {
    setIsCancelled(true)
    // Browsers close only windows that a script has opened.
    window.close()
  }
  return (
    <AgreeToEditor
      email={email}
      username={usernameOf(user)}
      redirect_uri={asked.redirect_uri}
      editor_name={editor_name}
      onAgree={() => agreed.mutate(confirmation)}
      onCancel={cancel}
    />
  )
}

import { SignInButton } from '@clerk/clerk-react'
import { useQuery } from '@tanstack/react-query'
import { MonitorSmartphone } from 'lucide-react'
import { useLocation, useSearchParams } from 'react-router-dom'
import { editorNameOf } from '../../../../schema/api/editor-name.ts'
import { completeVscodeAuth, prepareVscodeAuth } from '../../../../schema/api/extension-auth.ts'
import { destinationOf } from '../../../../schema/api/redirect-uri.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useWebConfig } from '../../../api/catalogue.ts'
import { editorAddress } from '../../../auth/redirects.ts'
import { type SignedInUser, useSignedInUser } from '../../../auth/useSignedInUser.ts'
import { usePageTitle } from '../../../components/page.ts'
import { StatusView } from '../../../components/StatusView.tsx'
import { Button } from '../../../ui/Button.tsx'
import { EditorConsent } from '../EditorConsent.tsx'
import { EditorFailure, UnknownEditor } from '../EditorOutcome.tsx'
import { editorFailures, editorTexts, mayHelp } from '../editorTexts.ts'

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
  const { data, error, isFetching } = prepared
  const beginAnew = () => void prepared.refetch()
  if (isFetching) return <StatusView tone="busy" title="Loading..." text="One moment, please." />
  if (!data || error) {
    const retry = mayHelp(error) ? beginAnew : undefined
    return <EditorFailure text={editorFailures.alternative(error)} onRetry={retry} />
  }
  return (
    <EditorConsent
      user={user}
      email={data.email}
      redirect_uri={asked.redirect_uri}
      editor_name={editor_name}
      agree={async (payer) => {
        const agreed = { ...body, payer, confirmation: data.confirmation }
        const { authorization_code: code } = await api(completeVscodeAuth, { body: agreed })
        return editorAddress({ ...asked, code })
      }}
      busyText="Completing authentication..."
      openAfterMs={0}
      failureText={editorFailures.alternative}
      beginAnew={beginAnew}
    />
  )
}

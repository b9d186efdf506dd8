import { useAuth } from '@clerk/clerk-react'
import { useEffect, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router-dom'
import { editorNameOf } from '../../../../schema/api/editor-name.ts'
import { updateAuthCode } from '../../../../schema/api/extension-auth.ts'
import { destinationOf, type Editors } from '../../../../schema/api/redirect-uri.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useWebConfig } from '../../../api/catalogue.ts'
import { ApiFailure } from '../../../api/failure.ts'
import { editorAddress, signInPath } from '../../../auth/redirects.ts'
import { type SignedInUser, useSignedInUser } from '../../../auth/useSignedInUser.ts'
import { usePageTitle } from '../../../components/page.ts'
import { RouteButton } from '../../../components/RouteButton.tsx'
import { StatusView } from '../../../components/StatusView.tsx'
import { EditorConsent } from '../EditorConsent.tsx'
import { EditorFailure } from '../EditorOutcome.tsx'
import { editorFailures, editorTexts } from '../editorTexts.ts'

const signInAfterMs = 3000
const openEditorAfterMs = 500

/** What the page that began the sign-in passed on. */
interface BegunSignIn {
  readonly state: string
  readonly redirect_uri: string
  /** What the editor began, signed by the server. */
  readonly request: string
  readonly editor_name: string | null
}

/** Ends a sign-in with PKCE: its user agrees, and the browser takes the code to the editor. */
export function VscodeCallbackPage() {
  usePageTitle('Connect your editor')
  const { isLoaded, user } = useSignedInUser()
  const { editors } = useWebConfig()
  const [search] = useSearchParams()
  const [state, redirect_uri] = [search.get('state'), search.get('vscode_redirect_uri')]
  const request = search.get('request')
  const editor_name = editorNameOf(search.get('editor_name') ?? '')

  if (!state || !redirect_uri || !request) {
    return <EditorFailure text="Missing required parameters for VSCode callback." />
  }
  if (!destinationOf(redirect_uri, editors))
    return <EditorFailure text={editorFailures.callback(otherAddress())} />
  if (!isLoaded) return <StatusView tone="busy" title="Loading authentication..." />
  if (!user) return <SignedOut redirect_uri={redirect_uri} />
  return <SignedIn key={user.id} user={user} begun={{ state, redirect_uri, request, editor_name }} />
}

function SignedOut({ redirect_uri }: { redirect_uri: string }) {
  const navigate = useNavigate()
  const { editors } = useWebConfig()
  const signIn = signInPath({ ...useLocation(), hash: '' })
  useEffect(() => {
    const timer = setTimeout(() => navigate(signIn), signInAfterMs)
    return () => clearTimeout(timer)
  }, [navigate, signIn])
  return (
    <EditorFailure
      text={editorTexts(redirect_uri, editors).signInFirst}
      action={<RouteButton to={signIn}>Sign In</RouteButton>}
    />
  )
}

const progress = {
  processing: () => 'Processing authentication...',
  generating: () => 'Generating authorization code...',
  redirecting: (redirect_uri: string, editors: Editors) => editorTexts(redirect_uri, editors).redirecting,
} as const

function SignedIn({ user, begun }: { user: SignedInUser; begun: BegunSignIn }) {
  const api = useApi()
  const { editors } = useWebConfig()
  const { getToken } = useAuth()
  const [step, setStep] = useState<keyof typeof progress>('processing')
  const agree = async (payer: string) => {
    setStep('processing')
    // An ended session gets no new token, and the page says so before a code exists.
    await getToken({ skipCache: true })
    setStep('generating')
    const { state, request, editor_name } = begun
    const body = { state, request, editor_name, payer, clerk_user_id: user.id }
    const { authorization_code, redirect_uri } = await api(updateAuthCode, { body })
    // The code goes only to the approved address; this page's address may have been changed.
    if (redirect_uri !== begun.redirect_uri) throw otherAddress()
    setStep('redirecting')
    return editorAddress({ redirect_uri, code: authorization_code, state })
  }
  return (
    <EditorConsent
      user={user}
      email={user.primaryEmailAddress?.emailAddress ?? ''}
      redirect_uri={begun.redirect_uri}
      editor_name={begun.editor_name}
      agree={agree}
      busyText={progress[step](begun.redirect_uri, editors)}
      openAfterMs={openEditorAfterMs}
      failureText={editorFailures.callback}
    />
  )
}

function otherAddress(): ApiFailure {
  return new ApiFailure({
    status: 400,
    code: 'foreign_redirect',
    text: 'The address of the editor is not the one that this sign-in began with.',
  })
}

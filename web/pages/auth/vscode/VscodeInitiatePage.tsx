import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useSearchParams } from 'react-router-dom'
import { editorNameOf } from '../../../../schema/api/editor-name.ts'
import type { BodyInputOf } from '../../../../schema/api/endpoint.ts'
import { initiateVscodeAuth } from '../../../../schema/api/extension-auth.ts'
import { destinationOf } from '../../../../schema/api/redirect-uri.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useWebConfig } from '../../../api/catalogue.ts'
import { usePageTitle } from '../../../components/page.ts'
import { StatusView } from '../../../components/StatusView.tsx'
import { EditorFailure, UnknownEditor } from '../EditorOutcome.tsx'
import { editorFailures, editorTexts, mayHelp } from '../editorTexts.ts'

/** Where an editor's extension sends the browser to begin a sign-in with PKCE. */
export function VscodeInitiatePage() {
  usePageTitle('Connect your editor')
  const { editors } = useWebConfig()
  const [search] = useSearchParams()
  const redirect_uri = search.get('vscode_redirect_uri')
  const [code_challenge, state] = [search.get('code_challenge'), search.get('state')]

  if (!redirect_uri) return <EditorFailure text="Missing VSCode redirect URI parameter." />
  if (!code_challenge || !state) {
    return <EditorFailure text="Missing PKCE parameters (code_challenge or state)." />
  }
  if (!destinationOf(redirect_uri, editors)) return <UnknownEditor />
  const editor_name = editorNameOf(search.get('editor_name') ?? '')
  return <Initiate body={{ redirect_uri, code_challenge, state, editor_name }} />
}

function Initiate({ body }: { body: BodyInputOf<typeof initiateVscodeAuth> & { redirect_uri: string } }) {
  const api = useApi()
  const { editors } = useWebConfig()
  // A POST as a query: showing the page begins the sign-in.
  const begun = useQuery({
    queryKey: ['initiate-vscode-auth', body],
    queryFn: ({ signal }) => api(initiateVscodeAuth, { body, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

  const address = begun.data?.auth_url
  useEffect(() => {
    // Replaces the history entry, or the back button would only lead forward again.
    if (address) window.location.replace(address)
  }, [address])

  if (begun.isError && !begun.isFetching) {
    const retry = mayHelp(begun.error) ? () => void begun.refetch() : undefined
    return <EditorFailure text={editorFailures.initiate(begun.error)} onRetry={retry} />
  }
  return <StatusView tone="busy" title={editorTexts(body.redirect_uri, editors).initiating} />
}

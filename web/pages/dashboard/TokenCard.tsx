import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, Copy, KeyRound } from 'lucide-react'
import { useState } from 'react'
import { generateExtensionToken } from '../../../schema/api/extension.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { editorPayersQuery, extensionTokenQuery } from '../../api/account.ts'
import { failureText, hasCode } from '../../api/failure.ts'
import { defaultPayer, hasChoice, PayerChoice } from '../../components/account/PayerChoice.tsx'
import { usePayer } from '../../components/account/usePayer.ts'
import { ConfirmButton } from '../../components/ConfirmButton.tsx'
import { EditorLink } from '../../components/EditorLink.tsx'
import { formatDay, formatTime } from '../../components/format.ts'
import { Loaded } from '../../components/Loaded.tsx'
import { useCopied } from '../../components/useCopied.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { toast } from '../../ui/toast.ts'
import { Editors, PaidBy, type Tokens, useRevocation } from './Editors.tsx'

/** What connects editors: sign-ins, and the long-lived token, which is shown once, when it is made. */
export function TokenCard({ userId }: { userId: string }) {
  // The dashboard has asked already, and what failed is asked for again by the button.
  const token = useQuery({ ...extensionTokenQuery(useApi(), userId), retryOnMount: false })
  const [secret, setSecret] = useState<string | null>(null)
  const generation = useGeneration(userId, setSecret)
  const revocation = useRevocation(userId, () => setSecret(null))
  const selected = usePayer()?.payer ?? 'personal'
  const payers = useQuery(editorPayersQuery(useApi(), { payer: selected, userId }))
  const [chosen, setChosen] = useState<string>()
  const payer = chosen ?? defaultPayer(payers.data)
  return (
    <Card
      id="extension-token"
      aria-labelledby="extension-token-title"
      className="order-5 min-h-49 scroll-mt-20"
    >
      <CardHeader
        id="extension-token-title"
        title="Extension token"
        description="Connects your editor to your account"
        action={token.data?.hasActive && <Badge tone="positive">Active</Badge>}
      />
      <Loaded query={token} what="your token" skeleton="h-23">
        {(data) => (
          <div className="space-y-4 px-5 pt-4 pb-5 sm:px-6 sm:pb-6">
            {data.editors.length > 0 && (
              <>
                <Editors {...{ userId, revocation }} tokens={data} payers={payers.data} />
                <h3 className="border-t pt-4 font-medium text-sm">Long-lived token</h3>
              </>
            )}
            {secret !== null && <Secret secret={secret} />}
            {data.hasActive ? (
              <>
                <TokenDates token={data} />
                <PaidBy userId={userId} payers={payers.data} payer={data.payer ?? 'personal'} />
              </>
            ) : (
              <>
                <p className="text-muted text-sm">
                  Paste it into the extension’s settings, or sign in from the extension instead. It is valid
                  for 4 months, and generating a new one ends the old one.
                </p>
                {hasChoice(payers.data) && (
                  <PayerChoice payers={payers.data} value={payer} onChange={setChosen} />
                )}
              </>
            )}
            <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
              {data.hasActive ? (
                <ConfirmButton
                  label="Revoke Active Long-Lived Token"
                  busy={revocation.isPending && revocation.variables === 'token'}
                  title="Revoke the token?"
                  text="This will revoke your active long-lived extension token. You will need to generate a new one to continue using the VSCode extension. Continue?"
                  confirm="Revoke token"
                  dismiss="Keep it"
                  onConfirm={() => revocation.mutate('token')}
                />
              ) : (
                <Button
                  variant="secondary"
                  busy={generation.isPending}
                  disabled={payers.isPending}
                  onClick={() => generation.mutate(payer)}
                >
                  {!generation.isPending && <KeyRound aria-hidden="true" />}
                  Generate Long-Lived Token
                </Button>
              )}
              <EditorLink />
            </div>
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function useGeneration(userId: string, onSecret: (secret: string) => void) {
  const api = useApi()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (payer: string | undefined) => api(generateExtensionToken, { query: { payer } }),
    onSuccess: async ({ access_token }) => {
      onSecret(access_token)
      await queryClient.invalidateQueries({ queryKey: extensionTokenQuery(api, userId).queryKey })
      toast.success('Token Generated', { description: 'Copy it now: it is shown only once.' })
    },
    onError: (error) => toast.error('Token Generation Failed', { description: generationFailureText(error) }),
  })
}

function generationFailureText(error: unknown): string {
  return hasCode(error, 'unexpected_answer')
    ? 'No access token in response'
    : failureText(error, 'Failed to generate long-lived token')
}

function Secret({ secret }: { secret: string }) {
  const [copied, copy] = useCopied()
  // The browser allows it only with a permission; the text can be selected with one click.
  const onRefused = () =>
    toast.error('Error', {
      description: 'Your browser does not allow copying. Select the token instead.',
    })
  return (
    <div className="rounded-control border border-accent-line bg-accent-soft p-3.5">
      <p className="font-medium text-sm">Your new token. It is shown only now.</p>
      <div className="mt-2.5 flex flex-wrap items-center gap-2">
        <code className="min-w-0 flex-1 basis-52 select-all rounded-md border bg-surface px-3 py-1.5 font-mono text-xs [overflow-wrap:anywhere]">
          {secret}
        </code>
        <Button
          variant="secondary"
          size="small"
          className="w-24"
          onClick={() => void copy(secret).catch(onRefused)}
        >
          {copied ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
          <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
        </Button>
      </div>
    </div>
  )
}

function TokenDates({ token }: { token: Tokens }) {
  const dates = [
    ['Created', formatDay(token.created_at ?? '')],
    ['Expires', formatDay(token.expires_at ?? '')],
    ['Last used', momentOf(token.last_used_at)],
  ] as const
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-3 text-sm tabular-nums sm:grid-cols-3">
      {dates.map(([term, text]) => (
        <div key={term}>
          <dt className="text-muted">{term}</dt>
          <dd className="mt-0.5 font-medium">{text}</dd>
        </div>
      ))}
    </dl>
  )
}

const momentOf = (iso: string | null) => (iso === null ? 'Not yet' : `${formatDay(iso)}, ${formatTime(iso)}`)

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { MonitorSmartphone } from 'lucide-react'
import { useState } from 'react'
import type { ResponseOf } from '../../../schema/api/endpoint.ts'
import {
  type getActiveExtensionToken,
  revokeAllExtensionTokens,
  revokeEditor,
  revokeExtensionToken,
  type SignedInEditor,
} from '../../../schema/api/extension.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { extensionTokenQuery } from '../../api/account.ts'
import { failureText } from '../../api/failure.ts'
import { ConfirmButton } from '../../components/ConfirmButton.tsx'
import { formatDay, formatTime } from '../../components/format.ts'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'
import { PaidBy } from './PaidBy.tsx'

export type Tokens = ResponseOf<typeof getActiveExtensionToken>

export const noTokens: Tokens = {
  hasActive: false,
  created_at: null,
  expires_at: null,
  last_used_at: null,
  payer: null,
  editors: [],
}

const shownAtFirst = 3

interface EditorsProps {
  userId: string
  tokens: Tokens
  revocations: ReturnType<typeof useRevocations>
}

/** The editors that a person has signed in, the one that was used last first. */
export function Editors({ userId, tokens, revocations: { one, all } }: EditorsProps) {
  const { editors, hasActive } = tokens
  const [isComplete, setIsComplete] = useState(false)
  const shown = isComplete ? editors : editors.slice(0, shownAtFirst)
  return (
    <section aria-labelledby="editors-title">
      <div className="flex min-h-8 items-center justify-between gap-4">
        <h3 id="editors-title" className="font-medium text-sm">
          Connected editors
        </h3>
        {editors.length + Number(hasActive) > 1 && (
          <ConfirmButton
            label="Revoke all"
            busy={all.isPending}
            title="Revoke all tokens?"
            text={`All connected editors are signed out${hasActive ? ', and your long-lived token ends' : ''}. You will need to sign in again from each editor.`}
            confirm="Revoke all"
            dismiss="Keep them"
            onConfirm={() => all.mutate()}
          />
        )}
      </div>
      <ul className="mt-1 divide-y divide-line">
        {shown.map((editor) => (
          <li key={editor.id} className="flex items-start gap-3 py-3">
            <MonitorSmartphone aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
            <Editor editor={editor} userId={userId} />
            <ConfirmButton
              label="Revoke"
              of={nameOf(editor)}
              busy={one.isPending && one.variables === editor.id}
              title={`Revoke ${nameOf(editor)}?`}
              text="It can no longer see your balance or spend your credits. To use it again, sign in from the editor."
              confirm="Revoke editor"
              dismiss="Keep it"
              onConfirm={() => one.mutate(editor.id)}
            />
          </li>
        ))}
      </ul>
      {shown.length < editors.length && (
        <Button variant="quiet" size="small" className="w-full" onClick={() => setIsComplete(true)}>
          Show all {editors.length} editors
        </Button>
      )}
    </section>
  )
}

const titleOf = ({ editor }: SignedInEditor) => editor ?? 'Program on a computer'

const nameOf = (editor: SignedInEditor) =>
  editor.name === null ? titleOf(editor) : `${titleOf(editor)}, “${editor.name}”`

function Editor({ editor, userId }: { editor: SignedInEditor; userId: string }) {
  const { id, name, payer, last_used_at, signed_in_at, expires_at } = editor
  return (
    <div className="min-w-0 flex-1 text-sm">
      <p className="font-medium">{titleOf(editor)}</p>
      {name !== null && <p className="[overflow-wrap:anywhere]">Says it is “{name}”</p>}
      <PaidBy userId={userId} id={id} of={nameOf(editor)} payer={payer} />
      <p className="mt-0.5 text-muted">
        {last_used_at === null
          ? 'Not used yet'
          : `Last used ${formatDay(last_used_at)}, ${formatTime(last_used_at)}`}
      </p>
      <p className="mt-0.5 text-muted text-xs">
        Connected {formatDay(signed_in_at)}, expires {formatDay(expires_at)}
      </p>
    </div>
  )
}

/** Ends one editor by its id, the generated token, or all of them. */
export function useRevocations(userId: string, onTokenRevoked: () => void) {
  const api = useApi()
  const queryClient = useQueryClient()
  const { queryKey } = extensionTokenQuery(api, userId)
  const setEditors = (left: (editors: Tokens['editors']) => Tokens['editors'], ends?: 'token') =>
    queryClient.setQueryData<Tokens>(queryKey, (tokens = noTokens) => ({
      ...(ends ? noTokens : tokens),
      editors: left(tokens.editors),
    }))
  const onError = (error: unknown) =>
    toast.error('Revocation Failed', { description: failureText(error, 'Failed to revoke token') })
  return {
    one: useMutation({
      mutationFn: (id: string) => api(revokeEditor, { body: { id } }),
      onSuccess: (_, id) => {
        setEditors((editors) => editors.filter((editor) => editor.id !== id))
        toast.success('Editor revoked', { description: 'It can no longer use your account.' })
      },
      onError,
    }),
    token: useMutation({
      mutationFn: () => api(revokeExtensionToken, {}),
      onSuccess: () => {
        onTokenRevoked()
        setEditors((editors) => editors, 'token')
        toast.success('Token Revoked', { description: 'The extension can no longer use it.' })
      },
      onError,
    }),
    all: useMutation({
      mutationFn: () => api(revokeAllExtensionTokens, {}),
      onSuccess: () => {
        onTokenRevoked()
        setEditors(() => [], 'token')
        toast.success('All tokens revoked', { description: 'No editor can use your account now.' })
      },
      onError,
    }),
  }
}

import { useClerk } from '@clerk/clerk-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { clsx } from 'clsx'
import { MonitorSmartphone } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { destinationOf } from '../../../schema/api/redirect-uri.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { editorPayersQuery } from '../../api/account.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import { failureText, hasCode } from '../../api/failure.ts'
import type { SignedInUser } from '../../auth/useSignedInUser.ts'
import { defaultPayer, PayerChoice } from '../../components/account/PayerChoice.tsx'
import { usePayer } from '../../components/account/usePayer.ts'
import { StatusView } from '../../components/StatusView.tsx'
import { Button } from '../../ui/Button.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import {
  EditorCancelled,
  EditorFailure,
  EditorOpened,
  ManageEditors,
  UnknownEditor,
} from './EditorOutcome.tsx'
import { editorTexts, mayHelp } from './editorTexts.ts'

interface EditorConsentProps {
  readonly user: SignedInUser
  readonly email: string
  /** Where the sign-in ends; an address without a problem. */
  readonly redirect_uri: string
  /** What the editor calls itself. */
  readonly editor_name: string | null
  /** Makes the calls once the user has agreed; returns the address that takes the code to the editor. */
  readonly agree: (payer: string) => Promise<string>
  readonly busyText: string
  readonly openAfterMs: number
  readonly failureText: (error: unknown) => string
  /** Left out where the same calls may be made again. */
  readonly beginAnew?: () => void
}

/** Names whose account goes where and asks who pays, before anything is sent; then hands the code over. */
export function EditorConsent(props: EditorConsentProps) {
  const { redirect_uri, agree, openAfterMs, beginAnew } = props
  const [isCancelled, setIsCancelled] = useState(false)
  const agreed = useMutation({ mutationFn: agree })
  const address = agreed.data
  const [isOpened, setIsOpened] = useState(false)
  useEffect(() => {
    if (!address) return
    const timer = setTimeout(() => {
      window.location.assign(address)
      setIsOpened(true)
    }, openAfterMs)
    return () => clearTimeout(timer)
  }, [address, openAfterMs])

  if (address && isOpened) return <EditorOpened address={address} redirect_uri={redirect_uri} />
  if (isCancelled) return <EditorCancelled />
  if (agreed.isPending || address) return <StatusView tone="busy" title={props.busyText} />
  if (agreed.isError) {
    const { error, variables } = agreed
    const again =
      beginAnew ?? (hasCode(error, 'payer_not_found') ? agreed.reset : () => agreed.mutate(variables))
    return (
      <EditorFailure
        text={props.failureText(error)}
        onRetry={mayHelp(error) ? again : undefined}
        action={hasCode(error, 'too_many_editors') ? <ManageEditors /> : undefined}
      />
    )
  }
  const cancel = () => {
    setIsCancelled(true)
    // Browsers close only windows that a script has opened.
    window.close()
  }
  return <Question {...props} onAgree={agreed.mutate} onCancel={cancel} />
}

interface QuestionProps extends EditorConsentProps {
  readonly onAgree: (payer: string) => void
  readonly onCancel: () => void
}

function Question({ user, email, redirect_uri, editor_name, onAgree, onCancel }: QuestionProps) {
  const { signOut } = useClerk()
  const username = usernameOf(user)
  const { editors } = useWebConfig()
  const destination = destinationOf(redirect_uri, editors)
  const selected = usePayer()
  const payers = useQuery({
    ...editorPayersQuery(useApi(), { payer: selected?.payer ?? '', userId: user.id }),
    enabled: selected !== undefined,
  })
  const [chosen, setChosen] = useState<string>()
  const payer = chosen ?? defaultPayer(payers.data)
  if (payers.isLoadingError) {
    const text = failureText(payers.error, 'Who could pay could not be loaded.')
    return <EditorFailure text={text} onRetry={() => void payers.refetch()} />
  }
  if (!destination) return <UnknownEditor />
  const { name, address } = destination
  return (
    <StatusView
      tone="neutral"
      Icon={MonitorSmartphone}
      title={editorTexts(redirect_uri, editors).title}
      text="Your editor wants to use your account. It will see the balance and spend the credits of the account that pays. Your other editors stay connected."
      actions={
        <>
          <Button disabled={payer === undefined} onClick={() => payer && onAgree(payer)}>
            Connect editor
          </Button>
          <Button variant="secondary" onClick={onCancel}>
            Cancel
          </Button>
        </>
      }
    >
      <dl className="divide-y divide-line rounded-control border text-sm">
        <Row term="Account" className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
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
        </Row>
        <Row term="Paid by">
          {payers.data ? (
            <PayerChoice payers={payers.data} value={payer} onChange={setChosen} />
          ) : (
            <Skeleton className="h-5 w-full" />
          )}
        </Row>
        <Row term="Destination">
          <span className="font-medium">{name}</span>
          {editor_name !== null && (
            <span className="block [overflow-wrap:anywhere]">Says it is “{editor_name}”</span>
          )}
          <span className="block break-all font-mono text-muted text-xs">{address}</span>
        </Row>
      </dl>
      <p className="text-muted text-sm">
        Continue only if you just started this sign-in from your editor. If someone sent you this link, close
        this window.
      </p>
    </StatusView>
  )
}

function Row({ term, className, children }: { term: string; className?: string; children: ReactNode }) {
  return (
    <div className="px-4 py-3">
      <dt className="text-muted">{term}</dt>
      <dd className={clsx('mt-0.5', className)}>{children}</dd>
    </div>
  )
}

interface NamedUser {
  readonly username: string | null
  readonly firstName: string | null
  readonly primaryEmailAddress: { readonly emailAddress: string } | null
}

/** What the editor may call its user: the user name, else the first name, else what stands before the @. */
export function usernameOf({ username, firstName, primaryEmailAddress }: NamedUser): string {
  return username || firstName || (primaryEmailAddress?.emailAddress.split('@')[0] ?? '')
}

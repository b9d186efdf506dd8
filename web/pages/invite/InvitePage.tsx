import { useClerk } from '@clerk/clerk-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { CircleAlert, MailOpen, MailX, UserRoundX, Users } from 'lucide-react'
import { Navigate, useLocation, useNavigate, useParams } from 'react-router-dom'
import { signInPath } from '../../auth/redirects.ts'
import { type SignedInUser, useSignedInUser } from '../../auth/useSignedInUser.ts'
import { usePageTitle } from '../../components/page.ts'
import { RouteButton } from '../../components/RouteButton.tsx'
import { StatusView } from '../../components/StatusView.tsx'
import { Button } from '../../ui/Button.tsx'
import { AuthFormSkeleton } from '../../ui/Skeleton.tsx'

/**
 * The target of an invitation link. The e-mailed link has Clerk's ticket, with which a visitor joins during
 * sign-up or sign-in; the link that an admin copied has none, so its visitor signs in and joins here.
 * Clerk lists the invitations of the signed-in person; a call of ours would tell others of an organization.
 */
export function InvitePage() {
  usePageTitle('Invitation')
  const { isLoaded, user } = useSignedInUser()
  const location = useLocation()
  const { organizationId = '', invitationId = '' } = useParams()
  const status = new URLSearchParams(location.search).get('__clerk_status')

  if (!isLoaded) return <AuthFormSkeleton />
  if (user && (status === 'sign_in' || status === 'sign_up')) return <WrongAccount user={user} />
  if (status === 'sign_up') return <Navigate to={`/sign-up${location.search}`} replace />
  if (status === 'sign_in') return <Navigate to={`/sign-in${location.search}`} replace />
  if (!user) return <Navigate to={signInPath(location)} replace />
  return <Invited key={user.id} user={user} link={{ organizationId, invitationId }} />
}

interface InvitedProps {
  user: SignedInUser
  link: { organizationId: string; invitationId: string }
}

function Invited({ user, link }: InvitedProps) {
  const listed = useQuery({
    queryKey: ['organization-invitations', user.id],
    queryFn: () => user.getOrganizationInvitations({ pageSize: 100 }),
    staleTime: 0,
  })
  const membership = user.organizationMemberships.find(
    ({ organization }) => organization.id === link.organizationId,
  )
  if (membership) return <Member {...membership.organization} />
  if (listed.isError && !listed.isFetching) {
    return (
      <StatusView
        tone="critical"
        Icon={CircleAlert}
        title="The invitation could not be loaded"
        text="The sign-in service is not responding. Your invitation is not lost."
        actions={<Button onClick={() => void listed.refetch()}>Try Again</Button>}
      />
    )
  }
  if (!listed.data) return <AuthFormSkeleton />
  const invitation = invitationOf(listed.data.data, link)
  if (!invitation) return <WrongAccount user={user} />
  if (invitation.status === 'pending') return <OpenInvitation invitation={invitation} />
  return <ClosedInvitation status={invitation.status} name={invitation.publicOrganizationData.name} />
}

type ClerkInvitation = Awaited<ReturnType<SignedInUser['getOrganizationInvitations']>>['data'][number]

function OpenInvitation({ invitation }: { invitation: ClerkInvitation }) {
  const { id, name } = invitation.publicOrganizationData
  const openOrganization = useOpenOrganization(id)
  const joined = useMutation({
    mutationFn: async () => {
      await invitation.accept()
      await openOrganization()
    },
  })
  return (
    <StatusView
      tone="neutral"
      Icon={MailOpen}
      title={`Join ${name}`}
      text={`You are invited as ${invitation.role === 'org:admin' ? 'an administrator' : 'a member'}. You get a seat and use the organization’s credits in the editors that it pays for. You are not charged.`}
      actions={
        <>
          <Button busy={joined.isPending} onClick={() => joined.mutate()}>
            Join
          </Button>
          <ToDashboard>Not now</ToDashboard>
        </>
      }
    >
      <p className="break-all text-muted text-sm">Sent to {invitation.emailAddress}</p>
      {joined.isError && (
        <p role="alert" className="text-critical text-sm">
          {clerkText(joined.error)}
        </p>
      )}
    </StatusView>
  )
}

const closedTexts = {
  accepted: {
    title: 'This invitation has been used',
    text: (name: string) =>
      `You have accepted it before and are no longer a member of ${name}. Please ask its administrators for a new one.`,
  },
  revoked: {
    title: 'This invitation was revoked',
    text: (name: string) =>
      `The administrators of ${name} have taken it back. Please ask them for a new one.`,
  },
  expired: {
    title: 'This invitation has expired',
    text: (name: string) => `Please ask the administrators of ${name} to send a new one.`,
  },
}

function ClosedInvitation({ status, name }: { status: keyof typeof closedTexts; name: string }) {
  const { title, text } = closedTexts[status]
  return (
    <StatusView
      tone="caution"
      Icon={MailX}
      title={title}
      text={text(name)}
      actions={<ToDashboard>Go to Dashboard</ToDashboard>}
    />
  )
}

function Member({ id, name }: { id: string; name: string }) {
  const openOrganization = useOpenOrganization(id)
  const opened = useMutation({ mutationFn: openOrganization })
  return (
    <StatusView
      tone="positive"
      Icon={Users}
      title={`You are a member of ${name}`}
      text="You have accepted this invitation already."
      actions={
        <Button busy={opened.isPending} onClick={() => opened.mutate()}>
          Go to Dashboard
        </Button>
      }
    />
  )
}

/** The page does not know whether the invitation exists: users who are not invited learn nothing about it. */
function WrongAccount({ user }: { user: SignedInUser }) {
  const { signOut } = useClerk()
  return (
    <StatusView
      tone="caution"
      Icon={UserRoundX}
      title="This invitation is not for this account"
      text="It was sent to another email address, or it has ended. If that address is yours, sign in with it."
      actions={
        <>
          <Button onClick={() => void signOut({ redirectUrl: window.location.href })}>
            Use another account
          </Button>
          <ToDashboard>Go to Dashboard</ToDashboard>
        </>
      }
    >
      <p className="break-all text-muted text-sm">Signed in as {user.primaryEmailAddress?.emailAddress}</p>
    </StatusView>
  )
}

function ToDashboard({ children }: { children: string }) {
  return (
    <RouteButton to="/dashboard" variant="secondary">
      {children}
    </RouteButton>
  )
}

/** Makes the organization the one that is looked at, and goes to its dashboard. */
function useOpenOrganization(organizationId: string): () => Promise<void> {
  const { setActive } = useClerk()
  const navigate = useNavigate()
  return async () => {
    await setActive({ organization: organizationId })
    navigate('/dashboard', { replace: true })
  }
}

/** Clerk's own sentence, e.g. that the organization is full, else a text of ours. */
function clerkText(error: unknown): string {
  const said = (error as { errors?: { longMessage?: string; message?: string }[] }).errors?.[0]
  return said?.longMessage || said?.message || 'You could not join at the moment. Please try again.'
}

export interface ListedInvitation {
  readonly id: string
  readonly status: 'pending' | 'accepted' | 'revoked' | 'expired'
  readonly createdAt: Date
  readonly publicOrganizationData: { readonly id: string }
}

/**
 * The invitation of a link among those of the signed-in user. Links have Clerk's id or ours, and the list
 * only Clerk's, so the organization decides: of several invitations to one, the open one, else the named one,
 * else the latest.
 */
export function invitationOf<T extends ListedInvitation>(
  invitations: readonly T[],
  link: { readonly organizationId: string; readonly invitationId: string },
): T | null {
  const theirs = invitations
    .filter(({ publicOrganizationData }) => publicOrganizationData.id === link.organizationId)
    .toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
  const open = theirs.find(({ status }) => status === 'pending')
  return open ?? theirs.find(({ id }) => id === link.invitationId) ?? theirs[0] ?? null
}

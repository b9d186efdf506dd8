import { OrganizationSwitcher, useOrganization } from '@clerk/clerk-react'
import { ChevronDown } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'react-router-dom'
import { useSignedInUser } from '../../auth/useSignedInUser.ts'
import { cn } from '../../ui/cn.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'

/**
 * Switches between the personal account and the user's organizations. Every choice stays on the page. Clerk's
 * switcher, in whose place ours stands until it is asked for (web/auth/lateClerkUi.ts).
 */
export function AccountSwitcher({ expanded }: { expanded: boolean }) {
  const { pathname } = useLocation()
  const { user } = useSignedInUser()
  const { isLoaded, organization } = useOrganization()
  const [isAsked, setIsAsked] = useState(false)
  if (!user || !isLoaded) return <Skeleton className="h-10 w-full" />
  const trigger = (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-busy={isAsked || undefined}
      onClick={() => setIsAsked(true)}
      className={cn(
        'flex h-10 w-full items-center gap-3 rounded-control font-medium text-muted text-sm hover:text-ink',
        expanded ? 'border bg-surface px-2.5 aria-busy:opacity-60' : 'justify-center',
      )}
    >
      <img
        src={(organization ?? user).imageUrl}
        alt=""
        className={cn('size-5 shrink-0', organization ? 'rounded' : 'rounded-full')}
      />
      <span className={expanded ? 'truncate' : 'sr-only'}>{organization?.name ?? 'Personal account'}</span>
      <span className="sr-only">: Open organization switcher</span>
      {expanded && <ChevronDown aria-hidden="true" className="ml-auto size-4 shrink-0" />}
    </button>
  )
  if (!isAsked) return trigger
  return (
    <div className="min-h-10">
      <OrganizationSwitcher
        defaultOpen
        fallback={trigger}
        // A new organization has no plan yet, and so no seats for the people it would invite.
        skipInvitationScreen
        afterCreateOrganizationUrl={pathname}
        afterLeaveOrganizationUrl={pathname}
        afterSelectOrganizationUrl={pathname}
        afterSelectPersonalUrl={pathname}
        appearance={{
          elements: {
            rootBox: { width: '100%' },
            organizationSwitcherTrigger: {
              width: '100%',
              justifyContent: expanded ? 'space-between' : 'center',
              padding: expanded ? '0.5rem 0.625rem' : '0.375rem',
              border: expanded ? '1px solid var(--tide-line)' : '0',
              background: expanded ? 'var(--tide-surface)' : 'transparent',
            },
            ...(!expanded && {
              organizationSwitcherTriggerIcon: { display: 'none' },
              organizationPreviewTextContainer: { display: 'none' },
              userPreviewTextContainer: { display: 'none' },
            }),
          },
        }}
      />
    </div>
  )
}

import { OrganizationSwitcher } from '@clerk/clerk-react'
import { useLocation } from 'react-router-dom'
import { Skeleton } from '../../ui/Skeleton.tsx'

/** Switches between the personal account and the user's organizations. Every choice stays on the page. */
export function AccountSwitcher({ expanded }: { expanded: boolean }) {
  const { pathname } = useLocation()
  return (
    <div data-rail={!expanded || undefined} className="account-switcher min-h-10">
      <OrganizationSwitcher
        fallback={<Skeleton className="h-10 w-full" />}
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

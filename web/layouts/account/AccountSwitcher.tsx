import { OrganizationSwitcher } from '@clerk/clerk-react'
import { Skeleton } from '../../ui/Skeleton.tsx'

const here = '/dashboard'

/** Personal account or one of the user's organizations; every choice returns to the dashboard. */
export function AccountSwitcher({ expanded }: { expanded: boolean }) {
  return (
    <div data-rail={!expanded || undefined} className="account-switcher min-h-10">
      <OrganizationSwitcher
        fallback={<Skeleton className="h-10 w-full" />}
        afterCreateOrganizationUrl={here}
        afterLeaveOrganizationUrl={here}
        afterSelectOrganizationUrl={here}
        afterSelectPersonalUrl={here}
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

import { UserProfile } from '@clerk/clerk-react'
import { ArrowLeft } from 'lucide-react'
import { RequireUser } from '../../auth/RequireUser.tsx'
import { usePageTitle } from '../../components/page.ts'
import { RouteButton } from '../../components/RouteButton.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'

/** The account at the sign-in service: names, e-mail addresses, password, devices. */
export function ProfilePage() {
  usePageTitle('Profile')
  return (
    <div className="w-full max-w-[55rem] flex-1">
      <div className="mb-4 flex items-center gap-3">
        <RouteButton to="/dashboard" variant="quiet" size="small" className="-ml-3">
          <ArrowLeft aria-hidden="true" />
          Dashboard
        </RouteButton>
      </div>
      <h1 className="sr-only">Profile</h1>
      <RequireUser loading={<ProfileSkeleton />}>
        {() => (
          <UserProfile
            routing="hash"
            fallback={<ProfileSkeleton />}
            appearance={{
              elements: {
                rootBox: { width: '100%' },
                cardBox: {
                  width: '100%',
                  maxWidth: '100%',
                  border: '1px solid var(--tide-line)',
                  borderRadius: '0.875rem',
                  boxShadow: 'var(--tide-shadow-2)',
                },
              },
            }}
          />
        )}
      </RequireUser>
    </div>
  )
}

function ProfileSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading your profile</span>
      <Skeleton className="h-176 w-full rounded-card" />
    </div>
  )
}

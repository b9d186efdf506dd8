import { useUser } from '@clerk/clerk-react'
import { usePageTitle } from '../../components/usePageTitle.ts'
import { Dashboard } from './Dashboard.tsx'

export function DashboardPage() {
  usePageTitle('Dashboard')
  const { user } = useUser()
  // The layout lets nobody through who is not signed in; while signing out there is a moment without a user.
  return user && <Dashboard user={user} />
}

import { UserButton } from '@clerk/clerk-react'
import { Skeleton } from '../ui/Skeleton.tsx'

export function UserMenu() {
  return (
    <div className="grid size-9 place-items-center">
      <UserButton fallback={<Skeleton className="size-7 rounded-full" />} />
    </div>
  )
}

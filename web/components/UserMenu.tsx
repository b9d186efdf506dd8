import { UserButton } from '@clerk/clerk-react'
import { useState } from 'react'
import { useSignedInUser } from '../auth/useSignedInUser.ts'
import { Skeleton } from '../ui/Skeleton.tsx'

/** Clerk's menu, in whose place its picture stands until it is asked for (web/auth/lateClerkUi.ts). */
export function UserMenu() {
  const { user } = useSignedInUser()
  const [isAsked, setIsAsked] = useState(false)
  const picture = user ? (
    <img src={user.imageUrl} alt="" className="size-7 rounded-full" />
  ) : (
    <Skeleton className="size-7 rounded-full" />
  )
  return (
    <div className="grid size-9 place-items-center">
      {isAsked ? (
        <UserButton defaultOpen fallback={picture} />
      ) : (
        <button
          type="button"
          aria-label="Open user menu"
          aria-haspopup="dialog"
          className="rounded-full"
          onClick={() => setIsAsked(true)}
        >
          {picture}
        </button>
      )}
    </div>
  )
}

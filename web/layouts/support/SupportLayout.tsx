import { useQuery } from '@tanstack/react-query'
import { Outlet } from 'react-router-dom'
import { useApi } from '../../api/ApiProvider.tsx'
import { initializeQuery, type Person } from '../../api/account.ts'
import { isStatus } from '../../api/failure.ts'
import { waitingActsQuery } from '../../api/support-acts.ts'
import { useSignedInUser } from '../../auth/useSignedInUser.ts'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { ActProvider } from '../../components/support/acts/ActProvider.tsx'
import { UserMenu } from '../../components/UserMenu.tsx'
import { NotFoundPage } from '../../pages/errors/NotFoundPage.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { FocusLayout } from '../FocusLayout.tsx'
import { Main } from '../Main.tsx'
import { KeysButton } from './KeysButton.tsx'
import { SearchBox } from './SearchBox.tsx'
import { SupportNav, SupportRail } from './SupportNav.tsx'

/** The frame of the support console. Other users get the not-found page; the server decides. */
export function SupportLayout() {
  const { isLoaded, user } = useSignedInUser()
  if (!isLoaded) return <ConsoleSkeleton />
  if (!user) return <NoSuchPage />
  return <Console key={user.id} person={user} />
}

function Console({ person }: { person: Person }) {
  const api = useApi()
  const waiting = useQuery(waitingActsQuery(api, person.id))
  // Writes down who they are: the audit log names its actors by that.
  useQuery({ ...initializeQuery(api, person, 'starter'), enabled: waiting.isSuccess })
  if (isStatus(waiting.error, 404)) return <NoSuchPage />
  if (waiting.isPending) return <ConsoleSkeleton />
  if (waiting.isLoadingError) {
    return (
      <Main className="grid min-h-dvh place-items-center">
        <FailurePanel title="The support console could not be opened" query={waiting} />
      </Main>
    )
  }
  return (
    <ActProvider>
      <div className="flex min-h-dvh">
        <SupportRail waiting={waiting.data.length} />
        <div className="flex min-w-0 flex-1 flex-col">
          <header className="sticky top-0 z-20 border-b bg-canvas/95 backdrop-blur-md">
            <div className="flex h-13 items-center gap-2 px-4 sm:px-6">
              <SearchBox />
              <KeysButton />
              <UserMenu />
            </div>
            <SupportNav waiting={waiting.data.length} />
          </header>
          <Main className="flex-1">
            <Outlet />
          </Main>
        </div>
      </div>
    </ActProvider>
  )
}

function NoSuchPage() {
  return (
    <FocusLayout>
      <NotFoundPage />
    </FocusLayout>
  )
}

/** As empty as the not-found page until it is known which of the two it is. */
function ConsoleSkeleton() {
  return (
    <main id="main" tabIndex={-1} className="grid min-h-dvh place-items-center">
      <h1 className="sr-only">Loading</h1>
      <Skeleton className="size-10 rounded-[10px]" />
    </main>
  )
}

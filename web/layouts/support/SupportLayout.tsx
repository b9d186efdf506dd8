import { useQuery } from '@tanstack/react-query'
import { Keyboard, Search } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { Outlet, useLocation, useNavigate } from 'react-router-dom'
import { freePlan } from '../../../schema/catalogue/sold-plans.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { initializeQuery, type Person } from '../../api/account.ts'
import { isStatus } from '../../api/failure.ts'
import { waitingActsQuery } from '../../api/support-acts.ts'
import { useSignedInUser } from '../../auth/useSignedInUser.ts'
import { FailurePanel } from '../../components/FailurePanel.tsx'
import { ActProvider } from '../../components/support/acts/ActDialog.tsx'
import { searchAddress } from '../../components/support/addresses.ts'
import { useKeys } from '../../components/support/useKeys.ts'
import { WorkerSilence } from '../../components/support/WorkerSilence.tsx'
import { UserMenu } from '../../components/UserMenu.tsx'
import { NotFoundPage } from '../../pages/errors/PageErrorScreen.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { FocusLayout } from '../FocusLayout.tsx'
import { BootSkeleton, Main } from '../Main.tsx'
import { SupportNav, SupportRail, sections } from './SupportNav.tsx'

/** The frame of the support console. Other users get the not-found page; the server decides. */
export function SupportLayout() {
  const { isLoaded, user } = useSignedInUser()
  if (!isLoaded) return <BootSkeleton />
  if (!user) return <NoSuchPage />
  return <Console key={user.id} person={user} />
}

function Console({ person }: { person: Person }) {
  const api = useApi()
  const waiting = useQuery(waitingActsQuery(api, person.id))
  // Writes down who they are: the audit log names its actors by that.
  useQuery({ ...initializeQuery(api, person, freePlan.plan_type), enabled: waiting.isSuccess })
  if (isStatus(waiting.error, 404)) return <NoSuchPage />
  if (waiting.isPending) return <BootSkeleton />
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
        <SupportRail waiting={waiting.data.acts.length} />
        <div className="flex min-w-0 flex-1 flex-col">
          <header className="sticky top-0 z-20 border-b bg-canvas/95 backdrop-blur-md">
            <div className="flex h-13 items-center gap-2 px-4 sm:px-6">
              <SearchBox />
              <KeysButton />
              <UserMenu />
            </div>
            <SupportNav waiting={waiting.data.acts.length} />
          </header>
          <Main className="flex-1">
            <div className="mx-auto max-w-7xl px-4 not-empty:pt-4 sm:px-6">
              <WorkerSilence
                worker={waiting.data.worker}
                then="Nothing is applied meanwhile. Acts that are asked for are done when one answers."
              />
            </div>
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

const keys: readonly (readonly [string, string])[] = [
  ['/', 'Search'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['r', 'Replay the row, or what is wrong with the case'],
  ['x', 'Select the row'],
  ['Escape', 'Clear the selection, leave the case, close a dialog'],
  ...sections.map(({ label }, place) => [String(place + 1), label] as const),
  ['?', 'These keys'],
]

function KeysButton() {
  const [isOpen, setIsOpen] = useState(false)
  useKeys({ '?': () => setIsOpen(true) })
  return (
    <>
      <span className="max-sm:hidden">
        <Button
          variant="quiet"
          size="icon"
          aria-label="Keyboard shortcuts"
          aria-keyshortcuts="?"
          onClick={() => setIsOpen(true)}
        >
          <Keyboard aria-hidden="true" />
        </Button>
      </span>
      {isOpen && (
        <Dialog
          onClose={() => setIsOpen(false)}
          title="Keyboard shortcuts"
          description="They work outside text fields."
        >
          <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-1.5 text-sm">
            {keys.map(([key, meaning]) => (
              <div key={key} className="contents">
                <dt>
                  <kbd className="inline-grid h-6 min-w-6 place-items-center rounded border bg-sunken px-1.5 font-sans text-xs">
                    {key}
                  </kbd>
                </dt>
                <dd className="text-muted">{meaning}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </>
  )
}

/** Always there: one field for an e-mail address and for every id. */
function SearchBox() {
  const { pathname, search } = useLocation()
  const asked = pathname === '/support/search' ? (new URLSearchParams(search).get('q') ?? '') : null
  const [text, setText] = useState(asked ?? '')
  const [known, setKnown] = useState(asked)
  const navigate = useNavigate()
  const field = useRef<HTMLInputElement>(null)
  // The field shows the search of the URL.
  if (known !== asked) {
    setKnown(asked)
    if (asked !== null) setText(asked)
  }
  useKeys({ '/': () => field.current?.select() })

  function submit(event: FormEvent) {
    event.preventDefault()
    const q = text.trim()
    if (q) void navigate(searchAddress(q))
  }

  return (
    <search className="min-w-0 flex-1">
      <form onSubmit={submit} className="relative max-w-2xl">
        <Search aria-hidden="true" className="absolute top-2.5 left-3 size-4 text-faint" />
        <input
          ref={field}
          type="search"
          aria-label="Search support"
          aria-keyshortcuts="/"
          placeholder="Email address, name or any id"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={320}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
          className="h-9 w-full rounded-control border border-line-strong bg-surface pr-9 pl-9 text-sm shadow-low placeholder:text-faint"
        />
        {text === '' && (
          <span
            aria-hidden="true"
            className="pointer-events-none absolute top-2 right-2 hidden size-5 place-items-center sm:grid rounded border bg-sunken font-sans text-2xs text-muted"
          >
            /
          </span>
        )}
      </form>
    </search>
  )
}

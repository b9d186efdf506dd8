import { LogIn, Menu } from 'lucide-react'
import { lazy, Suspense, useState, useSyncExternalStore } from 'react'
import { useSignedIn, useWebConfig } from '../../api/catalogue.ts'
import { Logo } from '../../components/Logo.tsx'
import type { MarketingPath } from '../../content/paths.ts'
import { buttonStyle } from '../../ui/buttonStyle.ts'
import { Dropdown } from '../../ui/Dropdown.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'
import { useLater } from '../../ui/useLater.ts'
import { mainLinks, resources } from './resources.ts'

const loadMobileMenu = () => import('./MobileMenu.tsx')
const MobileMenu = lazy(async () => ({ default: (await loadMobileMenu()).MobileMenu }))

const lightAfterPx = 50
const item =
  'rounded-md px-3 py-2 font-medium text-muted text-xs uppercase tracking-[0.06em] transition-colors hover:text-ink aria-[current=page]:text-ink'

export function TopNav({ path }: { path: MarketingPath }) {
  const { brand } = useWebConfig()
  const scrolled = useScrolledPast(lightAfterPx)
  const [menu, setMenu] = useState<'never opened' | 'open' | 'closed'>('never opened')
  return (
    <header
      data-scrolled={scrolled || undefined}
      className="sticky top-0 z-30 border-transparent border-b transition-[background-color,border-color,box-shadow] duration-200 data-scrolled:border-line data-scrolled:bg-surface/85 data-scrolled:shadow-low data-scrolled:backdrop-blur-md"
    >
      <div className="mx-auto flex h-16 max-w-6xl items-center justify-between gap-6 px-5 sm:px-8">
        <Logo />
        <nav aria-label="Main" className="hidden items-center gap-1 md:flex">
          {mainLinks(brand).map(([label, href]) => (
            <a key={label} href={href} aria-current={href === path ? 'page' : undefined} className={item}>
              {label}
            </a>
          ))}
          <ResourcesMenu path={path} className={item} />
        </nav>
        <div className="hidden items-center gap-2 md:flex">
          <SessionLinks />
        </div>
        <button
          type="button"
          className={buttonStyle({ variant: 'quiet', size: 'icon', className: '-mr-2 md:hidden' })}
          aria-label="Open menu"
          aria-haspopup="dialog"
          aria-expanded={menu === 'open'}
          onPointerEnter={() => void loadMobileMenu()}
          onClick={() => setMenu('open')}
        >
          <Menu aria-hidden="true" className="size-5!" />
        </button>
        {menu !== 'never opened' && (
          <Suspense>
            <MobileMenu
              path={path}
              open={menu === 'open'}
              onOpenChange={(open) => setMenu(open ? 'open' : 'closed')}
            />
          </Suspense>
        )}
      </div>
    </header>
  )
}

function useScrolledPast(offset_px: number): boolean {
  return useSyncExternalStore(
    subscribe,
    () => window.scrollY > offset_px,
    () => false,
  )
}

function subscribe(notify: () => void): () => void {
  window.addEventListener('scroll', notify, { passive: true })
  return () => window.removeEventListener('scroll', notify)
}

function ResourcesMenu({ path, className }: { path: MarketingPath; className: string }) {
  const { brand } = useWebConfig()
  return (
    <Dropdown label="Resources" className={className}>
      <ul>
        {resources(brand).map(({ label, note, href }) => (
          <li key={label}>
            <a
              href={href}
              aria-current={href === path ? 'page' : undefined}
              className="block rounded-md px-3 py-2 transition-colors hover:bg-hover"
            >
              <span className="block font-medium text-sm">{label}</span>
              <span className="block text-muted text-xs">{note}</span>
            </a>
          </li>
        ))}
      </ul>
    </Dropdown>
  )
}

const loadAccountMenu = async () => (await import('./AccountMenu.tsx')).AccountMenu

function SessionLinks() {
  if (!useSignedIn()) {
    return (
      <>
        <LinkButton variant="quiet" size="small" href="/sign-in">
          <LogIn aria-hidden="true" />
          Sign in
        </LinkButton>
        <LinkButton size="small" className="text-xs uppercase tracking-[0.04em]" href="/pricing">
          Get Started
        </LinkButton>
      </>
    )
  }
  return (
    <>
      <LinkButton variant="secondary" size="small" href="/dashboard">
        Dashboard
      </LinkButton>
      <LateAccountMenu />
    </>
  )
}

/** The menu needs Clerk's script, which is loaded when the browser is idle. */
function LateAccountMenu() {
  const AccountMenu = useLater(loadAccountMenu)
  const placeholder = (
    <div className="grid size-9 place-items-center">
      <span className="size-7 animate-pulse rounded-full bg-hover" />
    </div>
  )
  return AccountMenu ? <AccountMenu placeholder={placeholder} /> : placeholder
}

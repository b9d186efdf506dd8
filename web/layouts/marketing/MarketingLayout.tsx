import { Menu } from 'lucide-react'
import { useState, useSyncExternalStore } from 'react'
import { Link, Outlet } from 'react-router-dom'
import { useWebConfig } from '../../api/catalogue.ts'
import { Logo } from '../../components/Logo.tsx'
import { Button } from '../../ui/Button.tsx'
import { cn } from '../../ui/cn.ts'
import { Main } from '../Main.tsx'
import { Footer } from './Footer.tsx'
import { MobileMenu } from './MobileMenu.tsx'
import { ResourcesMenu } from './ResourcesMenu.tsx'
import { SessionLinks } from './SessionLinks.tsx'

const lightAfterPx = 50
const item =
  'rounded-md px-3 py-2 font-medium text-muted text-xs uppercase tracking-[0.06em] transition-colors hover:text-ink'

export function MarketingLayout() {
  return (
    <>
      <TopNav />
      <Main>
        <Outlet />
      </Main>
      <Footer />
    </>
  )
}

function TopNav() {
  const { brand } = useWebConfig()
  const scrolled = useScrolledPast(lightAfterPx)
  const [menuOpen, setMenuOpen] = useState(false)
  return (
    <header
      className={cn(
        'sticky top-0 z-30 border-transparent border-b transition-colors',
        scrolled && 'border-line bg-surface/85 backdrop-blur-md',
      )}
    >
      <div className="mx-auto flex h-16 max-w-6xl items-center justify-between gap-6 px-5 sm:px-8">
        <Logo />
        <nav aria-label="Main" className="hidden items-center gap-1 md:flex">
          <Link to="/#pricing" className={item}>
            Pricing
          </Link>
          <Link to="/#features" className={item}>
            Features
          </Link>
          <a href={brand.docs_url} className={item}>
            Docs
          </a>
          <ResourcesMenu className={item} />
        </nav>
        <div className="hidden items-center gap-2 md:flex">
          <SessionLinks />
        </div>
        <Button
          variant="quiet"
          size="icon"
          className="md:hidden"
          aria-label="Open menu"
          aria-expanded={menuOpen}
          onClick={() => setMenuOpen(true)}
        >
          <Menu aria-hidden="true" className="size-5!" />
        </Button>
        <MobileMenu open={menuOpen} onOpenChange={setMenuOpen} />
      </div>
    </header>
  )
}

function useScrolledPast(offset_px: number): boolean {
  return useSyncExternalStore(subscribe, () => window.scrollY > offset_px)
}

function subscribe(notify: () => void): () => void {
  window.addEventListener('scroll', notify, { passive: true })
  return () => window.removeEventListener('scroll', notify)
}

import { X } from 'lucide-react'
import { useSignedIn, useWebConfig } from '../../api/catalogue.ts'
import { Logo } from '../../components/Logo.tsx'
import { ThemeSwitch } from '../../components/ThemeSwitch.tsx'
import type { MarketingPath } from '../../content/paths.ts'
import { Button } from '../../ui/Button.tsx'
import { Disclosure } from '../../ui/Disclosure.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'
import { SheetDialog } from '../../ui/SheetDialog.tsx'
import { mainLinks, resources } from './resources.ts'

interface MobileMenuProps {
  path: MarketingPath
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** The navigation of a phone. */
export function MobileMenu({ path, open, onOpenChange }: MobileMenuProps) {
  const { brand } = useWebConfig()
  const signedIn = useSignedIn()
  const close = () => onOpenChange(false)
  return (
    <SheetDialog open={open} onOpenChange={onOpenChange} title="Menu" shape="full">
      <div className="flex h-16 shrink-0 items-center justify-between px-5 sm:px-8">
        <Logo />
        <Button variant="quiet" size="icon" className="-mr-2" aria-label="Close menu" onClick={close}>
          <X aria-hidden="true" className="size-5!" />
        </Button>
      </div>
      <nav aria-label="Menu" className="divide-y divide-line px-5 pt-4 sm:px-8">
        {mainLinks(brand).map(([label, href]) => (
          <a
            key={label}
            href={href}
            aria-current={href === path ? 'page' : undefined}
            className="block py-3.5 font-medium text-xl tracking-tight aria-[current=page]:text-accent-text"
          >
            {label}
          </a>
        ))}
        <Disclosure title="Resources" className="py-3.5 text-xl tracking-tight">
          <ul className="pb-3">
            {resources(brand).map(({ label, note, href }) => (
              <li key={label}>
                <a href={href} className="block py-2.5">
                  <span className="block text-base">{label}</span>
                  <span className="block text-muted text-sm">{note}</span>
                </a>
              </li>
            ))}
          </ul>
        </Disclosure>
      </nav>
      <div className="mt-auto flex flex-col gap-3 px-5 py-6 sm:px-8">
        {signedIn ? (
          <LinkButton size="large" href="/dashboard">
            Dashboard
          </LinkButton>
        ) : (
          <>
            <LinkButton size="large" href="/pricing">
              Get Started
            </LinkButton>
            <LinkButton size="large" variant="secondary" href="/sign-in">
              Sign In
            </LinkButton>
          </>
        )}
        <div className="flex justify-center pt-2">
          <ThemeSwitch />
        </div>
      </div>
    </SheetDialog>
  )
}

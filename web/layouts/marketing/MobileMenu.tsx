import { useAuth } from '@clerk/clerk-react'
import { ChevronDown, X } from 'lucide-react'
import { Accordion } from 'radix-ui'
import { Link } from 'react-router-dom'
import { useWebConfig } from '../../api/catalogue.ts'
import { Logo } from '../../components/Logo.tsx'
import { ThemeSwitch } from '../../components/ThemeSwitch.tsx'
import { Button } from '../../ui/Button.tsx'
import { Sheet } from '../../ui/Sheet.tsx'
import { resources } from './ResourcesMenu.tsx'

interface MobileMenuProps {
  open: boolean
  onOpenChange: (open: boolean) => void
}

const item = 'block w-full py-3.5 text-left font-medium text-xl tracking-tight'

export function MobileMenu({ open, onOpenChange }: MobileMenuProps) {
  const { brand } = useWebConfig()
  const { isSignedIn } = useAuth()
  const close = () => onOpenChange(false)
  return (
    <Sheet open={open} onOpenChange={onOpenChange} title="Menu" shape="full">
      <div className="flex h-16 shrink-0 items-center justify-between px-5">
        <Logo />
        <Button variant="quiet" size="icon" aria-label="Close menu" onClick={close}>
          <X aria-hidden="true" className="size-5!" />
        </Button>
      </div>
      <nav aria-label="Menu" className="divide-y divide-line px-5 pt-4">
        <Link to="/#pricing" className={item} onClick={close}>
          Pricing
        </Link>
        <Link to="/#features" className={item} onClick={close}>
          Features
        </Link>
        <a href={brand.docs_url} className={item}>
          Docs
        </a>
        <Accordion.Root type="single" collapsible>
          <Accordion.Item value="resources">
            <Accordion.Header className="font-medium">
              <Accordion.Trigger className={`${item} group flex items-center justify-between`}>
                Resources
                <ChevronDown
                  aria-hidden="true"
                  className="size-5 text-faint transition-transform group-data-[state=open]:rotate-180"
                />
              </Accordion.Trigger>
            </Accordion.Header>
            <Accordion.Content className="pb-3">
              {resources(brand).map(({ label, href }) => (
                <a key={label} href={href} className="block py-2.5 text-base text-muted">
                  {label}
                </a>
              ))}
            </Accordion.Content>
          </Accordion.Item>
        </Accordion.Root>
      </nav>
      <div className="mt-auto flex flex-col gap-3 px-5 py-6">
        {isSignedIn ? (
          <Button asChild size="large" onClick={close}>
            <Link to="/dashboard">Dashboard</Link>
          </Button>
        ) : (
          <>
            <Button asChild size="large" onClick={close}>
              <Link to="/sign-up">Get Started</Link>
            </Button>
            <Button asChild size="large" variant="secondary" onClick={close}>
              <Link to="/sign-in">Sign In</Link>
            </Button>
          </>
        )}
        <div className="flex justify-center pt-2">
          <ThemeSwitch />
        </div>
      </div>
    </Sheet>
  )
}

import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { useWebConfig } from '../../api/catalogue.ts'
import { Logo } from '../../components/Logo.tsx'
import { SandboxMarker } from '../../components/SandboxMarker.tsx'
import { ThemeSwitch } from '../../components/ThemeSwitch.tsx'

export function Footer() {
  const { brand } = useWebConfig()
  return (
    <footer className="border-t bg-sunken">
      <div className="mx-auto grid max-w-6xl gap-10 px-5 py-12 sm:px-8 md:grid-cols-[1.6fr_1fr_1fr_1fr]">
        <div>
          <Logo />
          <p className="mt-4 max-w-xs text-muted text-sm">
            An AI coding assistant for the editor you already use, with a clear record of every credit.
          </p>
        </div>
        <FooterColumn title="Product">
          <Link to="/#features">Features</Link>
          <Link to="/#pricing">Pricing</Link>
          <a href={brand.marketplace_url}>Marketplace</a>
        </FooterColumn>
        <FooterColumn title="Resources">
          <a href={brand.docs_url}>Docs</a>
          <a href={brand.community_url}>Feature Requests</a>
          <a href={`mailto:${brand.support_email}`}>Contact Support</a>
        </FooterColumn>
        <FooterColumn title="Account">
          <Link to="/sign-in">Sign In</Link>
          <Link to="/sign-up">Get Started</Link>
          <Link to="/dashboard">Dashboard</Link>
        </FooterColumn>
      </div>
      <div className="mx-auto flex max-w-6xl flex-wrap items-center justify-between gap-4 border-t px-5 py-5 sm:px-8">
        <p className="flex items-center gap-3 text-faint text-sm">
          © {new Date().getFullYear()} {brand.name}
          <SandboxMarker />
        </p>
        <ThemeSwitch />
      </div>
    </footer>
  )
}

function FooterColumn({ title, children }: { title: string; children: ReactNode }) {
  return (
    <nav aria-label={title}>
      <p className="font-medium text-sm">{title}</p>
      <div className="mt-3 flex flex-col items-start gap-2.5 text-sm [&_a:hover]:text-ink [&_a]:text-muted">
        {children}
      </div>
    </nav>
  )
}

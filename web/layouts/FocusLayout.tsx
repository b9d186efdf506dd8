import type { ReactNode } from 'react'
import { Outlet } from 'react-router-dom'
import { Logo } from '../components/Logo.tsx'
import { SandboxMarker } from '../components/SandboxMarker.tsx'
import { ThemeSwitch } from '../components/ThemeSwitch.tsx'
import { TideLines } from '../components/TideLines.tsx'
import { Main } from './Main.tsx'

/** A single card in the middle of the page: the route's, or `children`. */
export function FocusLayout({ children = <Outlet /> }: { children?: ReactNode }) {
  return (
    <div className="relative isolate flex min-h-dvh flex-col overflow-hidden">
      <TideLines className="fixed inset-x-0 bottom-0 -z-10 h-80" />
      <header className="flex items-center justify-between gap-4 px-5 py-5 sm:px-8">
        <Logo />
        <SandboxMarker />
      </header>
      <Main className="flex flex-1 flex-col items-center justify-center px-4 py-8 sm:pb-20">{children}</Main>
      <footer className="flex justify-center px-5 py-5 sm:justify-end sm:px-8">
        <ThemeSwitch />
      </footer>
    </div>
  )
}

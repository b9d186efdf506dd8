import { Outlet } from 'react-router-dom'
import { Main } from '../Main.tsx'
import { Footer } from './Footer.tsx'
import { TopNav } from './TopNav.tsx'

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

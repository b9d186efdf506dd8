import { Outlet } from 'react-router-dom'
import { Main } from './Main.tsx'
import { Footer } from './marketing/Footer.tsx'
import { TopNav } from './marketing/TopNav.tsx'

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

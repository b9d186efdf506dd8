import { type ComponentType, useEffect, useRef } from 'react'
import {
  createBrowserRouter,
  Outlet,
  type RouteObject,
  redirectDocument,
  ScrollRestoration,
  useLocation,
  useMatches,
} from 'react-router-dom'
import { type AppPath, accountPaths, focusPaths, marketingPaths, supportPaths } from './content/paths.ts'
import { FocusLayout } from './layouts/FocusLayout.tsx'
import { BootSkeleton, SkipLink } from './layouts/Main.tsx'
import { NotFoundPage, PageErrorScreen, RouterErrorScreen } from './pages/errors/PageErrorScreen.tsx'

/** The code of each page is loaded on the first visit. */
const pages: Readonly<Record<AppPath, () => Promise<ComponentType>>> = {
  '/sign-up/*': async () => (await import('./pages/sign-up/SignUpPage.tsx')).SignUpPage,
  '/sign-in/*': async () => (await import('./pages/sign-in/SignInPage.tsx')).SignInPage,
  '/invite/:organizationId/:invitationId': async () =>
    (await import('./pages/invite/InvitePage.tsx')).InvitePage,
  '/auth/post-signup': async () =>
    (await import('./pages/auth/post-signup/PostSignupPage.tsx')).PostSignupPage,
  '/auth/vscode-initiate': async () =>
    (await import('./pages/auth/vscode/VscodeInitiatePage.tsx')).VscodeInitiatePage,
  '/auth/vscode-callback': async () =>
    (await import('./pages/auth/vscode/VscodeCallbackPage.tsx')).VscodeCallbackPage,
  '/extension-signin': async () =>
    (await import('./pages/auth/extension-signin/ExtensionSigninPage.tsx')).ExtensionSigninPage,
  '/billing/success': async () =>
    (await import('./pages/payment/success/PaymentSuccessPage.tsx')).BillingSuccessPage,
  '/payment/success': async () =>
    (await import('./pages/payment/success/PaymentSuccessPage.tsx')).PaymentSuccessPage,
  '/payment/cancelled': async () =>
    (await import('./pages/payment/cancelled/PaymentCancelledPage.tsx')).PaymentCancelledPage,
  '/teams/start': async () => (await import('./pages/teams/start/TeamsStartPage.tsx')).TeamsStartPage,
  '/profile': async () => (await import('./pages/profile/ProfilePage.tsx')).ProfilePage,
  '/dashboard': async () => (await import('./pages/dashboard/DashboardPage.tsx')).DashboardPage,
  '/billing': async () => (await import('./pages/billing/BillingPage.tsx')).BillingPage,
  '/organizations': async () =>
    (await import('./pages/organizations/OrganizationsPage.tsx')).OrganizationsPage,
  '/support': async () => (await import('./pages/support/work/WorkPage.tsx')).WorkPage,
  '/support/search': async () => (await import('./pages/support/search/SearchPage.tsx')).SearchPage,
  '/support/trace': async () => (await import('./pages/support/trace/TracePage.tsx')).TracePage,
  '/support/reconciliation': async () =>
    (await import('./pages/support/reconciliation/ReconciliationPage.tsx')).ReconciliationPage,
  '/support/statement': async () =>
    (await import('./pages/support/statement/StatementPage.tsx')).StatementPage,
  '/support/audit': async () => (await import('./pages/support/audit/AuditPage.tsx')).AuditPage,
}

const crumbs: Readonly<Record<(typeof accountPaths)[number], string>> = {
  '/dashboard': 'Dashboard',
  // The hosted billing portal returns to this address.
  '/billing': 'Billing',
  '/organizations': 'Organizations',
}

/** Where the layout itself could not be loaded, or the page is a document of its own. */
const notLoaded = (
  <FocusLayout>
    <PageErrorScreen />
  </FocusLayout>
)

const routes: RouteObject[] = [
  {
    element: <RootLayout />,
    errorElement: <RouterErrorScreen />,
    hydrateFallbackElement: <BootSkeleton />,
    children: [
      ...marketingPaths.map(leaveFor),
      {
        element: <FocusLayout />,
        children: [withPages(focusPaths.map(page)), { path: '*', element: <NotFoundPage /> }],
      },
      {
        errorElement: notLoaded,
        children: [
          {
            lazy: async () => ({
              Component: (await import('./layouts/account/AccountLayout.tsx')).AccountLayout,
            }),
            children: [
              withPages(accountPaths.map((path) => ({ ...page(path), handle: { crumb: crumbs[path] } }))),
            ],
          },
          {
            lazy: async () => ({
              Component: (await import('./layouts/support/SupportLayout.tsx')).SupportLayout,
            }),
            children: [withPages(supportPaths.map(page))],
          },
        ],
      },
    ],
  },
]

function page(path: AppPath): RouteObject {
  return { path, lazy: async () => ({ Component: await pages[path]() }) }
}

/** The router shows no error screen of a route whose own code is missing, so a parent without code has it. */
function withPages(children: RouteObject[]): RouteObject {
  return { errorElement: <PageErrorScreen />, children }
}

/** A marketing page is a document of its own, so a link to it loads that. The server knows one spelling. */
function leaveFor(path: string): RouteObject {
  return {
    path,
    caseSensitive: true,
    errorElement: notLoaded,
    loader: ({ request }) => {
      // The browser would leave this page for an error page of its own.
      if (!navigator.onLine) throw new Error('offline')
      const { pathname, search } = new URL(request.url)
      return redirectDocument(pathname + search)
    },
  }
}

export function createRouter() {
  return createBrowserRouter(routes)
}

function RootLayout() {
  useRouteFocus()
  return (
    <>
      <SkipLink />
      <Outlet />
      <ScrollRestoration />
    </>
  )
}

/**
 * Moves the focus to the content of a new page, as a full page load would. It depends on the route rather
 * than the address, because the sign-in form changes the address at each step and must keep the focus in its
 * fields.
 */
function useRouteFocus(): void {
  const routeId = useMatches().at(-1)?.id
  const { hash } = useLocation()
  const shown = useRef(routeId)
  useEffect(() => {
    if (shown.current === routeId) return
    shown.current = routeId
    if (!hash) document.getElementById('main')?.focus({ preventScroll: true })
  }, [routeId, hash])
}

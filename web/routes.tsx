import type { ComponentType } from 'react'
import { createBrowserRouter, type RouteObject, redirectDocument } from 'react-router-dom'
import { marketingPaths } from './content/paths.ts'
import { BootSkeleton } from './layouts/BootSkeleton.tsx'
import { FocusLayout } from './layouts/FocusLayout.tsx'
import { RootLayout } from './layouts/RootLayout.tsx'
import { NotFoundPage } from './pages/errors/NotFoundPage.tsx'
import { RouterErrorScreen } from './pages/errors/RouterErrorScreen.tsx'

const routes: RouteObject[] = [
  {
    element: <RootLayout />,
    errorElement: <RouterErrorScreen />,
    hydrateFallbackElement: <BootSkeleton />,
    children: [
      ...marketingPaths.map(leaveFor),
      {
        element: <FocusLayout />,
        children: [
          page('/sign-up/*', async () => (await import('./pages/sign-up/SignUpPage.tsx')).SignUpPage),
          page('/sign-in/*', async () => (await import('./pages/sign-in/SignInPage.tsx')).SignInPage),
          page(
            '/invite/:organizationId/:invitationId',
            async () => (await import('./pages/invite/InvitePage.tsx')).InvitePage,
          ),
          page(
            '/auth/post-signup',
            async () => (await import('./pages/auth/post-signup/PostSignupPage.tsx')).PostSignupPage,
          ),
          page(
            '/auth/vscode-initiate',
            async () => (await import('./pages/auth/vscode/VscodeInitiatePage.tsx')).VscodeInitiatePage,
          ),
          page(
            '/auth/vscode-callback',
            async () => (await import('./pages/auth/vscode/VscodeCallbackPage.tsx')).VscodeCallbackPage,
          ),
          page(
            '/extension-signin',
            async () =>
              (await import('./pages/auth/extension-signin/ExtensionSigninPage.tsx')).ExtensionSigninPage,
          ),
          page(
            '/billing/success',
            async () => (await import('./pages/payment/success/PaymentSuccessPage.tsx')).BillingSuccessPage,
          ),
          page(
            '/payment/success',
            async () => (await import('./pages/payment/success/PaymentSuccessPage.tsx')).PaymentSuccessPage,
          ),
          page(
            '/payment/cancelled',
            async () =>
              (await import('./pages/payment/cancelled/PaymentCancelledPage.tsx')).PaymentCancelledPage,
          ),
          page(
            '/teams/start',
            async () => (await import('./pages/teams/start/TeamsStartPage.tsx')).TeamsStartPage,
          ),
          page('/profile', async () => (await import('./pages/profile/ProfilePage.tsx')).ProfilePage),
          { path: '*', element: <NotFoundPage /> },
        ],
      },
      {
        lazy: async () => ({
          Component: (await import('./layouts/account/AccountLayout.tsx')).AccountLayout,
        }),
        children: [
          {
            ...page(
              '/dashboard',
              async () => (await import('./pages/dashboard/DashboardPage.tsx')).DashboardPage,
            ),
            handle: { crumb: 'Dashboard' },
          },
          {
            // The hosted billing portal returns to this address.
            ...page('/billing', async () => (await import('./pages/billing/BillingPage.tsx')).BillingPage),
            handle: { crumb: 'Billing' },
          },
          {
            ...page(
              '/organizations',
              async () => (await import('./pages/organizations/OrganizationsPage.tsx')).OrganizationsPage,
            ),
            handle: { crumb: 'Organizations' },
          },
        ],
      },
      {
        lazy: async () => ({
          Component: (await import('./layouts/support/SupportLayout.tsx')).SupportLayout,
        }),
        children: [
          page('/support', async () => (await import('./pages/support/work/WorkPage.tsx')).WorkPage),
          page(
            '/support/search',
            async () => (await import('./pages/support/search/SearchPage.tsx')).SearchPage,
          ),
          page('/support/trace', async () => (await import('./pages/support/trace/TracePage.tsx')).TracePage),
          page(
            '/support/reconciliation',
            async () =>
              (await import('./pages/support/reconciliation/ReconciliationPage.tsx')).ReconciliationPage,
          ),
          page(
            '/support/statement',
            async () => (await import('./pages/support/statement/StatementPage.tsx')).StatementPage,
          ),
          page('/support/audit', async () => (await import('./pages/support/audit/AuditPage.tsx')).AuditPage),
        ],
      },
    ],
  },
]

/** A page whose code is loaded on the first visit. */
function page(path: string, load: () => Promise<ComponentType>): RouteObject {
  return { path, lazy: async () => ({ Component: await load() }) }
}

/** A marketing page is a document of its own, so a link to it loads that. */
function leaveFor(path: string): RouteObject {
  return {
    path,
    loader: ({ request }) => {
      const { pathname, search } = new URL(request.url)
      return redirectDocument(pathname + search)
    },
  }
}

export function createRouter() {
  return createBrowserRouter(routes)
}

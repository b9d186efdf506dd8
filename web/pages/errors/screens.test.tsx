import { renderToString } from 'react-dom/server'
import { createMemoryRouter, Outlet, RouterProvider } from 'react-router-dom'
import { expect, it, onTestFinished, vi } from 'vitest'
import { WebConfigContext } from '../../api/catalogue.ts'
import { testConfig } from '../../testing/config.ts'
import { AuthenticationErrorScreen } from './ErrorScreen.tsx'
import { NotFoundPage, PageErrorScreen, RouterErrorScreen } from './PageErrorScreen.tsx'

/** What the router shows for an error, or without one the page. */
function render(error?: unknown): string {
  const route = { id: 'page', path: '/', element: <NotFoundPage />, errorElement: <RouterErrorScreen /> }
  const router = createMemoryRouter([route], {
    ...(error !== undefined && { hydrationData: { errors: { page: error } } }),
  })
  return renderToString(
    <WebConfigContext value={testConfig}>
      <RouterProvider router={router} />
    </WebConfigContext>,
  )
}

/** An answer that the router makes an error of. */
const response = (status: number, statusText: string) => ({ status, statusText, internal: false, data: null })

it.each([
  [new Error('x is not a function'), 'x is not a function'],
  [new Error(''), 'Unknown error occurred'],
  ['nonsense', 'Unknown error occurred'],
  [response(404, 'Not Found'), '404 Not Found'],
  [response(503, ''), '503'],
])('an error in a page is told with its text: %s', (error, text) => {
  const html = render(error)
  expect(html).toContain('Unexpected Application Error!')
  expect(html).toContain(text)
  expect(html).toContain('Refresh Page')
  expect(html).toContain('Go to Home')
  expect(html).toContain('Your payments and credits are not affected')
})

it('the screen for failed authentication needs neither router nor settings', () => {
  const html = renderToString(<AuthenticationErrorScreen />)
  expect(html).toContain('Authentication Error')
  expect(html).toContain(
    'Something went wrong with the authentication system. Please try refreshing the page or contact support if the problem persists.',
  )
  expect(html).toContain('Refresh Page')
  expect(html).toContain('Go to Home')
})

it('a page whose code cannot be loaded offline is told within its layout', async () => {
  vi.stubGlobal('navigator', { onLine: false, languages: ['en-US'] })
  onTestFinished(() => void vi.unstubAllGlobals())
  const lazy = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))
  const layout = (
    <>
      The shell
      <Outlet />
    </>
  )
  const router = createMemoryRouter([
    {
      element: <Outlet />,
      hydrateFallbackElement: <p>Loading</p>,
      children: [
        { path: '/', element: 'Start' },
        {
          element: layout,
          children: [{ errorElement: <PageErrorScreen />, children: [{ path: '/page', lazy }] }],
        },
      ],
    },
  ])
  await router.navigate('/page')
  const html = renderToString(
    <WebConfigContext value={testConfig}>
      <RouterProvider router={router} />
    </WebConfigContext>,
  )
  expect(html).toContain('The shell')
  expect(html).toContain('This page could not be loaded')
  expect(html).toContain('Try again')
})

it('an address without a page leads home', () => {
  const html = render()
  expect(html).toContain('Oops! Page not found')
  expect(html).toContain('Return to Home')
})

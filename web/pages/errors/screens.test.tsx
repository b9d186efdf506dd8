import { renderToString } from 'react-dom/server'
import { createMemoryRouter, RouterProvider } from 'react-router-dom'
import { expect, it } from 'vitest'
import { defaultBrand } from '../../../schema/catalogue/brand.ts'
import { WebConfigContext } from '../../api/catalogue.ts'
import { AuthenticationErrorScreen } from './ErrorScreen.tsx'
import { NotFoundPage } from './NotFoundPage.tsx'
import { RouterErrorScreen } from './RouterErrorScreen.tsx'

const config = {
  brand: defaultBrand,
  clerk: { publishable_key: 'pk_test', proxy_url: null },
  sandbox: false,
  sample_editor_url: null,
  pro_trial_days: 14,
}

/** What the router shows for an error, or without one the page. */
function render(error?: unknown): string {
  const route = { id: 'page', path: '/', element: <NotFoundPage />, errorElement: <RouterErrorScreen /> }
  const router = createMemoryRouter([route], {
    ...(error !== undefined && { hydrationData: { errors: { page: error } } }),
  })
  return renderToString(
    <WebConfigContext value={config}>
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

it('an address without a page leads home', () => {
  const html = render()
  expect(html).toContain('Oops! Page not found')
  expect(html).toContain('Return to Home')
})

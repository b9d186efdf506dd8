import { renderToString } from 'react-dom/server'
import { createMemoryRouter, RouterProvider } from 'react-router-dom'
import { expect, it } from 'vitest'
import { WebConfigContext } from '../../api/catalogue.ts'
import { testConfig } from '../../testing/config.ts'
import { RouterErrorScreen } from './PageErrorScreen.tsx'

/** What the router shows for an error. */
function render(error: unknown): string {
  const route = { id: 'page', path: '/', errorElement: <RouterErrorScreen /> }
  const router = createMemoryRouter([route], { hydrationData: { errors: { page: error } } })
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
})

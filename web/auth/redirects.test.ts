import { describe, expect, it } from 'vitest'
import {
  afterPostSignup,
  afterSignIn,
  afterSignUp,
  editorAddress,
  sameOriginPath,
  signInPath,
  signUpPath,
} from './redirects.ts'
import { readSelection } from './selection.ts'

const origin = 'https://app.tidemark.example'
const selection = (search = '') => readSelection(new URLSearchParams(search))

describe('sameOriginPath', () => {
  it.each([
    ['/dashboard', '/dashboard'],
    ['/billing/success?session_id=cs_1#top', '/billing/success?session_id=cs_1#top'],
    [`${origin}/dashboard`, '/dashboard'],
    [origin, '/'],
    ['%2Fdashboard%3Fa%3D1', '/dashboard?a=1'],
    [encodeURIComponent(`${origin}/dashboard`), '/dashboard'],
    ['/search?q=%2F%2Fevil.example', '/search?q=%2F%2Fevil.example'],
  ])('a return address accepts %j as %j', (address, path) => {
    expect(sameOriginPath(address, origin)).toBe(path)
  })

  it.each([
    null,
    '',
    'dashboard',
    'https://evil.example/dashboard',
    'https://app.tidemark.example.evil.example/',
    'https://app.tidemark.example@evil.example/',
    'http://app.tidemark.example/dashboard',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '\n//evil.example',
    ' //evil.example',
    '%2F%2Fevil.example',
    '/..//evil.example',
    '/.//evil.example/a',
    '/a/..//evil.example',
    '/%2e%2e//evil.example',
    '%2F%5Cevil.example',
    'https%3A%2F%2Fevil.example',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,hi',
    '%2F%E0%A4%A',
  ])('a return address refuses %j', (address) => {
    expect(sameOriginPath(address, origin)).toBeNull()
  })
})

describe('afterSignIn', () => {
  it.each([
    ['', null, '/dashboard'],
    ['', '/billing/success?session_id=cs_1', '/billing/success?session_id=cs_1'],
    ['', 'https://evil.example', '/dashboard'],
    ['plan=starter', null, '/dashboard'],
    ['plan=pro', 'https://evil.example', '/auth/post-signup?plan=pro&billing=monthly&seats=1'],
  ])('afterSignIn with %j goes, for the page %j, to %s', (search, redirectUrl, path) => {
    expect(afterSignIn({ selection: selection(search), redirectUrl, origin })).toBe(path)
  })

  it('afterSignIn sets up a paid plan first and remembers the page that was requested', () => {
    const path = afterSignIn({
      selection: selection('plan=teams&billing=yearly&currency=GBP&seats=4'),
      redirectUrl: '/dashboard#activity',
      origin,
    })
    const url = new URL(path, origin)
    expect(url.pathname).toBe('/auth/post-signup')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      plan: 'teams',
      billing: 'yearly',
      currency: 'GBP',
      seats: '4',
      original_redirect: '/dashboard#activity',
    })
  })
})

describe('afterSignUp', () => {
  it('always goes to the plan step, with the starter plan by default', () => {
    const url = new URL(afterSignUp({ selection: selection(), redirectUrl: null, origin }), origin)
    expect(url.pathname).toBe('/auth/post-signup')
    expect(url.searchParams.get('plan')).toBe('starter')
    expect(url.searchParams.has('original_redirect')).toBe(false)
  })
})

describe('afterPostSignup', () => {
  it('afterPostSignup goes to the dashboard, or to the requested page if it is ours', () => {
    expect(afterPostSignup(null, origin)).toBe('/dashboard')
    expect(afterPostSignup('/payment/success?session_id=cs_1', origin)).toBe(
      '/payment/success?session_id=cs_1',
    )
    expect(afterPostSignup('//evil.example', origin)).toBe('/dashboard')
  })
})

describe('signInPath', () => {
  it('signInPath keeps the whole address through the query and back', () => {
    const path = signInPath({ pathname: '/billing/success', search: '?session_id=cs_1&a=b', hash: '#x' })
    const redirectUrl = new URL(path, origin).searchParams.get('redirect_url')
    expect(afterSignIn({ selection: selection(), redirectUrl, origin })).toBe(
      '/billing/success?session_id=cs_1&a=b#x',
    )
  })
})

describe('signUpPath', () => {
  it('signUpPath keeps the plan and the requested page for the plan step that follows', () => {
    const step = new URLSearchParams('plan=pro&billing=yearly&original_redirect=/invite/org_1/x')
    const query = new URL(signUpPath(step), origin).searchParams
    expect(
      afterSignUp({ selection: readSelection(query), redirectUrl: query.get('redirect_url'), origin }),
    ).toBe('/auth/post-signup?plan=pro&billing=yearly&seats=1&original_redirect=%2Finvite%2Forg_1%2Fx')
    expect(signUpPath(new URLSearchParams())).toBe('/sign-up')
  })
})

it.each([
  ['vscode://tidemark.tidemark/auth', 'vscode://tidemark.tidemark/auth?code=user_1&state=s'],
  [
    'cursor://tidemark.tidemark/auth?windowId=3',
    'cursor://tidemark.tidemark/auth?windowId=3&code=user_1&state=s',
  ],
  ['http://127.0.0.1:49152', 'http://127.0.0.1:49152/?code=user_1&state=s'],
])('an editor at %s is reached at %s', (redirect_uri, address) => {
  expect(editorAddress({ redirect_uri, code: 'user_1', state: 's' })).toBe(address)
})

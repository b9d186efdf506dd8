import { expect, test, vi } from 'vitest'
import { forgetOthers, keepForPerson, readForPerson, rememberedPerson } from './rememberedPerson.ts'

const tokenOf = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`
const ada = tokenOf({ sub: 'user_ada', sts: 'active', n: 'ÿ?>' })
const adaAtHarbour = tokenOf({ sub: 'user_ada', o: { id: 'org_harbour' } })

test.each([
  ['', null],
  [`a=b; __session=${ada}`, { userId: 'user_ada', payer: 'personal' }],
  [`__session_x-Y=${adaAtHarbour}; c=d`, { userId: 'user_ada', payer: 'org_harbour' }],
  [`__session=${ada}; __session_xY=${ada}`, { userId: 'user_ada', payer: 'personal' }],
  [`__session=${ada}; __session_xY=${tokenOf({ sub: 'user_grace' })}`, null],
  [`__session=${ada}; __session_xY=${adaAtHarbour}`, null],
  [`__session=${tokenOf({ sub: 'user_ada', sts: 'pending' })}`, null],
  [`my__session=${ada}`, null],
  ['__session=', null],
  ['__session=a.b.c', null],
  [`__session=${tokenOf({ sub: 17 })}`, null],
])('the cookies %s name %j', (cookies, person) => {
  expect(rememberedPerson(cookies)).toEqual(person)
})

test('what is kept for a person is shown to no other, and is gone when another person or none is signed in', () => {
  const kept = new Map<string, string>()
  const localStorage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  }
  const document = { cookie: '__client_uat=17; __client_uat_xY=18; a=b' }
  vi.stubGlobal('window', { localStorage, sessionStorage: localStorage })
  vi.stubGlobal('document', document)

  keepForPerson('user_ada', { user_id: 'user_grace', credits: 500 })
  expect(readForPerson('user_ada')).toMatchObject({ user_id: 'user_ada', credits: 500 })
  document.cookie = '__client_uat_xY=18; __client_uat=17'
  expect(readForPerson('user_ada')).not.toBeNull()
  for (const changed of ['__client_uat=17; __client_uat_xY=19', '__client_uat=0', '']) {
    document.cookie = changed
    expect(readForPerson('user_ada')).toBeNull()
  }
  document.cookie = '__client_uat=17; __client_uat_xY=18'
  expect(readForPerson('user_grace')).toBeNull()
  forgetOthers('user_ada')
  expect(readForPerson('user_ada')).not.toBeNull()
  forgetOthers('user_grace')
  expect(kept.size).toBe(0)

  keepForPerson('user_ada', { credits: 500 })
  keepForPerson('user_grace', { credits: 7 })
  expect(readForPerson('user_ada')).toBeNull()
  forgetOthers(null)
  expect(kept.size).toBe(0)

  kept.set('kept-for-person', 'not JSON')
  expect(readForPerson('user_ada')).toBeNull()
  forgetOthers('user_ada')
  expect(kept.size).toBe(0)
  vi.unstubAllGlobals()
})

import { expect, test } from 'vitest'
import { ApiFailure } from '../../api/failure.ts'
import { generationFailureText } from './TokenCard.tsx'

const failure = (code: string, text: string | null) => new ApiFailure({ status: 200, code, text })

test('a token that was not made says why', () => {
  expect(generationFailureText(failure('unexpected_answer', null))).toBe('No access token in response')
  expect(generationFailureText(failure('unreachable', null))).toBe('Failed to generate long-lived token')
  expect(generationFailureText(failure('banned', 'This account is suspended.'))).toBe(
    'This account is suspended.',
  )
})

import { useClerk, useReverification } from '@clerk/clerk-react'
import { isReverificationCancelledError } from '@clerk/clerk-react/errors'
import { useRef } from 'react'
import { useApi } from './ApiProvider.tsx'
import type { Api } from './client.ts'
import { ApiFailure } from './failure.ts'

/**
 * For calls that need a fresh factor: Clerk asks for it in its own dialog, and the call is repeated. A person
 * who closes that dialog gets the failure of the first call.
 */
export function useVerifiedApi(): Api {
  const api = useApi()
  const clerk = useClerk()
  const refused = useRef<ApiFailure>(undefined)
  const verified = useReverification(
    (...call: Parameters<Api>) =>
      api(...call).catch((failure: unknown) => {
        if (!(failure instanceof ApiFailure && failure.clerk_error)) throw failure
        refused.current = failure
        return failure
      }),
    {
      // As by default, but within a dialog of ours, which keeps the focus and the mouse.
      onNeedsReverification: ({ complete, cancel, level }) =>
        clerk.__internal_openReverification({
          ...(level && { level }),
          afterVerification: complete,
          afterVerificationCancelled: cancel,
          getContainer: () => document.querySelector<HTMLElement>('[role="dialog"]'),
        }),
    },
  )
  return (async (...call: Parameters<Api>) => {
    const answer = await verified(...call).catch((error: unknown) => {
      throw isReverificationCancelledError(error) ? refused.current : error
    })
    if (answer instanceof ApiFailure) throw answer
    return answer
  }) as Api
}

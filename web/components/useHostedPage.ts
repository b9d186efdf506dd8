import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { hasCode } from '../api/failure.ts'

interface HostedPageOptions<Input> {
  mutationFn: (input: Input) => Promise<{ url: string }>
  onError: (error: unknown) => void
}

/** Asks the server for the address of a hosted page and sends the browser there. */
export function useHostedPage<Input>({ mutationFn, onError }: HostedPageOptions<Input>) {
  // A second click may come before React has disabled the button.
  const underway = useRef(false)
  const { mutate, reset, isPending, isSuccess } = useMutation({
    mutationFn,
    // Without a connection it fails at once, instead of leaving the page whenever there is one again.
    networkMode: 'always',
    // The same request is being answered to another tab: its answer is ours, too.
    retry: (failures, error) => hasCode(error, 'request_in_progress') && failures < 10,
    retryDelay: 500,
    onSuccess: ({ url }) => window.location.assign(url),
    onError: (error) => {
      underway.current = false
      onError(error)
    },
  })

  // The back button can restore this page from the browser's cache with the button still busy.
  useEffect(() => {
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return
      underway.current = false
      reset()
    }
    window.addEventListener('pageshow', onPageShow)
    return () => window.removeEventListener('pageshow', onPageShow)
  }, [reset])

  function open(input: Input): void {
    if (underway.current) return
    underway.current = true
    mutate(input)
  }

  // Still processing after the answer, until the browser has left the page.
  return { open, processing: isPending || isSuccess }
}

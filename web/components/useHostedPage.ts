import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'

interface HostedPageOptions<Input> {
  mutationFn: (input: Input) => Promise<{ url: string }>
  onError: (error: unknown) => void
}

/** Asks the server for the address of a hosted page and sends the browser there. */
export function useHostedPage<Input>({ mutationFn, onError }: HostedPageOptions<Input>) {
  const { mutate, reset, isPending, isSuccess } = useMutation({
    mutationFn,
    onSuccess: ({ url }) => window.location.assign(url),
    onError,
  })

  // The back button can restore this page from the browser's cache just as it was left, with the button still busy.
  useEffect(() => {
    const onPageShow = ({ persisted }: PageTransitionEvent) => persisted && reset()
    window.addEventListener('pageshow', onPageShow)
    return () => window.removeEventListener('pageshow', onPageShow)
  }, [reset])

  // Still processing after the answer, until the browser has left the page.
  return { open: mutate, processing: isPending || isSuccess }
}

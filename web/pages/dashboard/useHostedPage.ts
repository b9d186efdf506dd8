import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'

interface DepartureOptions<Input> {
  mutationFn: (input: Input) => Promise<{ url: string }>
  onError: (error: unknown) => void
}

/** Asks for the address of a hosted page and leaves for it. */
export function useDeparture<Input>({ mutationFn, onError }: DepartureOptions<Input>) {
  const { mutate, reset, isPending, isSuccess } = useMutation({
    mutationFn,
    onSuccess: ({ url }) => window.location.assign(url),
    onError,
  })

  // Coming back from the hosted page can bring this page back as it was left: busy.
  useEffect(() => {
    const onPageShow = ({ persisted }: PageTransitionEvent) => persisted && reset()
    window.addEventListener('pageshow', onPageShow)
    return () => window.removeEventListener('pageshow', onPageShow)
  }, [reset])

  // It stays busy after the answer, until the browser has left.
  return { start: mutate, processing: isPending || isSuccess }
}

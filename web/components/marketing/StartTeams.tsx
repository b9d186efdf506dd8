import { useSignedIn } from '../../auth/signedIn.ts'
import { LinkButton } from '../../ui/LinkButton.tsx'

/** Leads to the order of a Teams plan, by way of signing up. `choice`: period and currency. */
export function StartTeams({ choice = {} }: { choice?: Readonly<Record<string, string>> }) {
  const query = new URLSearchParams(choice).toString()
  const start = query ? `/teams/start?${query}` : '/teams/start'
  const { currency } = choice
  const signUp = new URLSearchParams({ ...(currency && { currency }), redirect_url: start })
  const href = useSignedIn() ? start : `/sign-up?${signUp}`
  return (
    <LinkButton size="large" href={href}>
      Start with Teams
    </LinkButton>
  )
}

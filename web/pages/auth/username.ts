interface NamedUser {
  readonly username: string | null
  readonly firstName: string | null
  readonly primaryEmailAddress: { readonly emailAddress: string } | null
}

/** What the editor may call its user: the user name, else the first name, else what stands before the @. */
export function usernameOf({ username, firstName, primaryEmailAddress }: NamedUser): string {
  return username || firstName || (primaryEmailAddress?.emailAddress.split('@')[0] ?? '')
}

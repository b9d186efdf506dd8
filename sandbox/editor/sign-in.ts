import { createHash, randomBytes } from 'node:crypto'

/** A sign-in that has begun: its secrets stay in the editor (docs/extension.md, “Generate the secrets”). */
export interface BegunSignIn {
  readonly state: string
  readonly code_verifier: string
  readonly redirect_uri: string
}

export function beginSignIn(editorUrl: string): BegunSignIn {
  return {
    state: randomBytes(16).toString('base64url'),
    code_verifier: randomBytes(32).toString('base64url'),
    redirect_uri: `${editorUrl}/auth-complete`,
  }
}

/** The product's page on which the user signs in and agrees. */
export function signInPage(
  appUrl: string,
  { state, code_verifier, redirect_uri }: BegunSignIn,
  computer: string,
): string {
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  const editor_name = `Sample editor on ${computer}`
  const search = new URLSearchParams({
    vscode_redirect_uri: redirect_uri,
    code_challenge,
    state,
    editor_name,
  })
  return `${appUrl}/auth/vscode-initiate?${search}`
}

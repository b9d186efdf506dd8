import { destinationOf, type Editors } from '../../../schema/api/redirect-uri.ts'

/** The texts of an editor's sign-in by where it ends. They say VSCode as long as the editor is not known. */
export function editorTexts(redirect_uri: string, editors: Editors) {
  const destination = destinationOf(redirect_uri, editors)
  const isOther = destination && !destination.name.startsWith('Visual Studio Code')
  const name = !isOther ? 'VSCode' : destination.extension === null ? null : destination.name
  return {
    title: `${name ?? 'Editor'} Extension Authentication`,
    connect: `Sign in to connect your ${name ?? 'editor'} extension`,
    initiating: `Initiating ${name ?? 'editor'} authentication...`,
    signInFirst: `You must be signed in to complete ${name ?? 'editor'} authentication. Redirecting to sign-in...`,
    redirecting: `Redirecting to ${name ?? 'your editor'}...`,
  }
}

import { destinationOf, type Editors } from '../../../schema/api/redirect-uri.ts'

export interface EditorTexts {
  readonly title: string
  readonly connect: string
  readonly initiating: string
  readonly signInFirst: string
  readonly redirecting: string
}

/** The texts of an editor's sign-in by where it ends. They say VSCode as long as the editor is not known. */
export function editorTexts(redirect_uri: string, editors: Editors): EditorTexts {
  const { subject, goal } = namesOf(redirect_uri, editors)
  return {
    title: `${subject === 'editor' ? 'Editor' : subject} Extension Authentication`,
    connect: `Sign in to connect your ${subject} extension`,
    initiating: `Initiating ${subject} authentication...`,
    signInFirst: `You must be signed in to complete ${subject} authentication. Redirecting to sign-in...`,
    redirecting: `Redirecting to ${goal}...`,
  }
}

function namesOf(redirect_uri: string, editors: Editors): { subject: string; goal: string } {
  const destination = destinationOf(redirect_uri, editors)
  if (destination?.extension === null) return { subject: 'editor', goal: 'your editor' }
  return destination && !destination.name.startsWith('Visual Studio Code')
    ? { subject: destination.name, goal: destination.name }
    : { subject: 'VSCode', goal: 'VSCode' }
}

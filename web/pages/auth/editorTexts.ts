import { destinationOf, redirectUriProblem } from '../../../schema/api/redirect-uri.ts'

interface EditorTexts {
  readonly title: string
  readonly connect: string
  readonly initiating: string
  readonly signInFirst: string
  readonly redirecting: string
}

/** The texts of an editor's sign-in by where it ends. They say VSCode as long as the editor is not known. */
export function editorTexts(redirect_uri: string | null): EditorTexts {
  const { subject, goal } = namesOf(redirect_uri)
  return {
    title: `${subject === 'editor' ? 'Editor' : subject} Extension Authentication`,
    connect: `Sign in to connect your ${subject} extension`,
    initiating: `Initiating ${subject} authentication...`,
    signInFirst: `You must be signed in to complete ${subject} authentication. Redirecting to sign-in...`,
    redirecting: `Redirecting to ${goal}...`,
  }
}

function namesOf(redirect_uri: string | null): { subject: string; goal: string } {
  const visualStudioCode = { subject: 'VSCode', goal: 'VSCode' }
  if (!redirect_uri || redirectUriProblem(redirect_uri)) return visualStudioCode
  const { kind, name } = destinationOf(redirect_uri)
  if (kind === 'this_machine') return { subject: 'editor', goal: 'your editor' }
  return name.startsWith('Visual Studio Code') ? visualStudioCode : { subject: name, goal: name }
}

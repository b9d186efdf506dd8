import { failureText } from '../api/failure.ts'
import { toast } from '../ui/toast.ts'

/** Answers what tells the user of a failure: the server's own text if it sent one, else `defaultText`. */
export function toastFailure(defaultText: string, title = 'Error'): (error: unknown) => void {
  return (error) => toast.error(title, { description: failureText(error, defaultText) })
}

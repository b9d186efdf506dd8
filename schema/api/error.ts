import * as z from 'zod/mini'

/** The body of every error response. `error` is a sentence for people, `code` a stable value for programs. */
export const apiErrorSchema = z.object({
  error: z.string(),
  code: z.string(),
  message: z.string(),
  request_id: z.string(),
  /** For a 400: which fields of the request are wrong, and how. The empty path is the whole body. */
  fields: z.optional(z.array(z.object({ path: z.string(), message: z.string() }))),
  /** Of `reverification_required`: what Clerk's `useReverification` reads. */
  clerk_error: z.optional(z.unknown()),
})
export type ApiError = z.infer<typeof apiErrorSchema>

/** For OAuth clients: below 500 `error` is OAuth's code, and the description has the sentence. */
export const oauthErrorSchema = z.extend(apiErrorSchema, {
  error_description: z.string(),
})

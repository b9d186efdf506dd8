import * as z from 'zod/mini'

/**
 * The body of every error response. `error` is a sentence for people, `code` is for programs and never
 * changes.
 */
export const apiErrorSchema = z.object({
  error: z.string(),
  code: z.string(),
  message: z.string(),
  request_id: z.string(),
  /** For a 400: which fields of the request are wrong, and how. The empty path is the whole body. */
  fields: z.optional(z.array(z.object({ path: z.string(), message: z.string() }))),
})
export type ApiError = z.infer<typeof apiErrorSchema>

/**
 * The same for calls of OAuth clients: below 500 `error` is OAuth's code, and the sentence is in the
 * description.
 */
export const oauthErrorSchema = z.extend(apiErrorSchema, {
  error_description: z.string(),
})

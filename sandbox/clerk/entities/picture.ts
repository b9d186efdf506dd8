/** An uploaded profile image or logo; its id is that of the user or organization it shows. */
export type Picture = { id: string; content_type: string; base64: string; updated_at: number }

export const PICTURE_SIZE_MAX_BYTES = 2 * 1024 * 1024

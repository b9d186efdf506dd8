/**
 * In linear time: the parts of an e-mail address are bounded (RFC 5321, section 4.5.3.1). A slash is in the
 * path of a package, `node_modules/@scope`.
 */
const mailAddress = /[^\s@"'`<>()[\]{},;:=/]{1,64}@[^\s@"'`<>()[\]{},;:=/]{1,255}/g

/**
 * A text without e-mail addresses, for what is logged or kept of errors: Stripe and Clerk quote what they
 * refuse.
 */
export function withoutAddresses(text: string): string {
  return text.includes('@') ? text.replaceAll(mailAddress, '[address]') : text
}

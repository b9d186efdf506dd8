/**
 * What the product is called, and where customers write to; BRAND_NAME and BRAND_SUPPORT_EMAIL override it. The
 * logo is logo.svg beside this file and the colors are colors.css (docs/branding.md).
 */
export const brand = { name: 'Tidemark', support_email: 'support@tidemark.example' }

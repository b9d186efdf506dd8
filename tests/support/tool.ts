/** Something of the machine that tests need: there it is, or why it is not. */
export type Tool =
  | { readonly found: true; readonly value: string }
  | { readonly found: false; readonly reason: string }

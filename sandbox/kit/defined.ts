/** Some of the fields of a row, as a call gave them. */
export type Given<Row> = { [Name in keyof Row]?: Row[Name] | undefined }

/** Leaves out the fields that were not given, so that they change nothing. */
export function defined<T extends object>(given: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [Name in keyof T]: Exclude<T[Name], undefined> }
}

/**
 * Why months are not archived, or an archive is not finished, in a sentence for the person who runs the
 * command.
 */
export class ArchiveRefusedError extends Error {
  override readonly name = 'ArchiveRefusedError'
}

/** An archive cannot be read, for a reason that people may know. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused'
}

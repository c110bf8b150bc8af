/** Why something cannot be imported, in a sentence for people. Trying again would not help. */
export class ImportRefused extends Error {
  override readonly name = 'ImportRefused'
}

/** The bytes are not those of the digest. Nobody gets them. */
export class WrongDigest extends Error {
  override readonly name = 'WrongDigest'
}

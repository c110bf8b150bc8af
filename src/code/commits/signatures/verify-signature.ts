import type { Db } from '#platform/db/pool.ts'
import { type SigningKey, findSigningKey } from '#identity/keys/signing-keys.ts'
import { unarmored } from './armor.ts'
import { pgpKeyId } from './pgp-key-id.ts'
import { signatureKind } from './signature-kind.ts'
import { readSshSignature } from './ssh-signature.ts'
import { type SigningCertificate, signingCertificate } from './x509-certificate.ts'

/** A signed commit or tag. */
export interface SignedObject {
  readonly signature: string
  /** What the signature is about. */
  readonly signed: Buffer
  /** Of who committed or tagged. */
  readonly email: string
}

/**
 * `verified`: the key has signed it, and its owner has the address. `other_user`: they do not. `unknown_key`: nobody here has the key.
 * `unverified`: the signature is wrong, or nobody can tell.
 */
export type VerificationStatus = 'verified' | 'other_user' | 'unknown_key' | 'unverified'

export interface VerifiedSignature {
  readonly kind: ReturnType<typeof signatureKind>
  readonly status: VerificationStatus
  /** The key of a user that made an SSH signature. */
  readonly key?: SigningKey
  /** The id of the key that a PGP signature names. */
  readonly pgpKeyId?: string
  readonly certificate?: SigningCertificate
}

/** Tells who has signed a commit or tag, as far as the instance knows. */
export async function verifySignature(
  db: Db,
  { signature, signed, email }: SignedObject,
): Promise<VerifiedSignature> {
  const kind = signatureKind(signature)
  const bytes = unarmored(signature)
  if (bytes === undefined) return { kind, status: 'unverified' }
  if (kind === 'SSH') return { kind, ...(await verifySsh(db, bytes, signed, email)) }
  if (kind === 'X509') {
    // The instance trusts no authority, so no certificate proves anything.
    const certificate = signingCertificate(bytes)
    return { kind, status: 'unverified', ...(certificate && { certificate }) }
  }
  // The instance has no PGP keys of users.
  const id = pgpKeyId(bytes)
  return id === undefined ? { kind, status: 'unverified' } : { kind, status: 'unknown_key', pgpKeyId: id }
}

async function verifySsh(
  db: Db,
  bytes: Buffer,
  signed: Buffer,
  email: string,
): Promise<Pick<VerifiedSignature, 'status' | 'key'>> {
  const read = readSshSignature(bytes, signed)
  if (read?.isValid !== true) return { status: 'unverified' }
  const key = await findSigningKey(db, read.fingerprint, email)
  if (key === undefined) return { status: 'unknown_key' }
  return { status: key.ownsEmail ? 'verified' : 'other_user', key }
}

import { type Static, Type } from 'typebox'
import { presentSshKey, SshKey } from '#identity/keys/entity.ts'
import { entity, nullable } from '#platform/http/schema.ts'
import type { VerifiedSignature } from './verify-signature.ts'

/** For the API's description. */
export const VERIFICATION =
  '`verified` takes an SSH key of a user who has confirmed the address of the committer; `other_user` is another address. ' +
  '`unknown_key` is a key that nobody here has, as are all PGP keys. Everything else is `unverified`, such as all X.509 certificates.'

const X509Certificate = entity('X509Certificate', {
  subject: Type.String(),
  subject_key_identifier: nullable(Type.String()),
  email: nullable(Type.String()),
  serial_number: Type.String({ description: 'A decimal number of any size.' }),
  certificate_status: Type.String({ description: 'Always `good`: nobody asks for revocations.' }),
  x509_issuer: Type.Object({
    subject: Type.String(),
    subject_key_identifier: nullable(Type.String()),
    crl_url: nullable(Type.String()),
  }),
})

const signature = {
  signature_type: Type.String({ description: '`PGP`, `SSH` or `X509`.' }),
  verification_status: Type.String({
    description: '`verified`, `other_user`, `unknown_key` or `unverified`.',
  }),
  x509_certificate: nullable(X509Certificate),
}

const none = () => Type.Unsafe<null>({ type: 'null' })

export const CommitSignature = entity('CommitSignature', {
  ...signature,
  commit_source: Type.String(),
  gpg_key_id: none(),
  gpg_key_primary_keyid: nullable(Type.String({ description: 'The key that a PGP signature names.' })),
  gpg_key_user_name: none(),
  gpg_key_user_email: none(),
  gpg_key_subkey_id: none(),
  key: nullable(SshKey),
})

export const TagSignature = entity('TagSignature', signature)

export function presentTagSignature({
  kind,
  status,
  certificate,
}: VerifiedSignature): Static<typeof TagSignature> {
  return {
    signature_type: kind,
    verification_status: status,
    x509_certificate: certificate === undefined ? null : presentCertificate(certificate),
  }
}

function presentCertificate({ issuer, ...certificate }: NonNullable<VerifiedSignature['certificate']>) {
  return { ...certificate, certificate_status: 'good', x509_issuer: issuer }
}

/** @param showsKey anonymous callers must not find out who has an account, and so see no key of a user. */
export function presentSignature(
  verified: VerifiedSignature,
  { site, showsKey }: { readonly site: string; readonly showsKey: boolean },
): Static<typeof CommitSignature> {
  const { key, pgpKeyId = null } = verified
  return {
    ...presentTagSignature(verified),
    commit_source: 'gitaly',
    gpg_key_id: null,
    gpg_key_primary_keyid: pgpKeyId,
    gpg_key_user_name: null,
    gpg_key_user_email: null,
    gpg_key_subkey_id: null,
    key: key === undefined || !showsKey ? null : presentSshKey(key, { name: key.owner }, site),
  }
}

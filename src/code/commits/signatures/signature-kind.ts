/** The kind of a signature, as its first line has it. */
export function signatureKind(signature: string): 'PGP' | 'SSH' | 'X509' {
  if (signature.includes('BEGIN SSH SIGNATURE')) return 'SSH'
  return signature.includes('BEGIN SIGNED MESSAGE') ? 'X509' : 'PGP'
}

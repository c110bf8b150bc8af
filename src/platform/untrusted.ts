/** What Node.js and OpenSSL call a certificate that they do not accept. */
const CODE = /^(?:CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/
/** Some libraries give the error a code of their own, and keep the sentence. */
const SENTENCE =
  /self.signed certificate|unable to (?:verify the first|get (?:local )?issuer) certificate|certificate has expired|does not match certificate's altnames/i

/** How an operator makes this program trust a certificate. */
export const HOW_TO_TRUST =
  'name a file with the certificate of its authority in NODE_EXTRA_CA_CERTS, and start again'

/** What to do about a certificate that is not trusted; undefined where an error has another cause. */
export function untrusted(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? String(error.code) : ''
  if (!CODE.test(code) && !SENTENCE.test(error.message)) return untrusted(error.cause)
  const which = error.message.split(';')[0] || code
  if (/ALTNAME/i.test(`${code} ${error.message}`)) return `its certificate is for another name (${which})`
  if (/EXPIRED/i.test(`${code} ${error.message}`)) return 'its certificate has expired: it needs a new one'
  return `its certificate is not trusted (${which}): ${HOW_TO_TRUST}`
}

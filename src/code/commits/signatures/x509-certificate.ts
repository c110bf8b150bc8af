import { X509Certificate } from 'node:crypto'
import { childrenOf, type Der, readDer } from './der.ts'

/** What people see of the certificate with which somebody signed. */
export interface SigningCertificate {
  readonly subject: string
  readonly subject_key_identifier: string | null
  readonly email: string | null
  readonly serial_number: string
  readonly issuer: {
    readonly subject: string
    readonly subject_key_identifier: string | null
    readonly crl_url: string | null
  }
}

/** Ids of extensions of certificates, in DER (RFC 5280, section 4.2.1). */
const SUBJECT_KEY_ID = '551d0e'
const AUTHORITY_KEY_ID = '551d23'
const CRL_POINTS = '551d1f'

/** The most certificates that are looked at. Chains are short. */
const MAX_CERTIFICATES = 50

/** The certificate of the signer of a CMS signature (RFC 5652). Undefined for what is none, or brings no certificate. */
export function signingCertificate(bytes: Buffer): SigningCertificate | undefined {
  const content = readDer(bytes, 0)
  const [, wrapped] = content === undefined ? [] : childrenOf(content)
  const [signedData] = wrapped === undefined ? [] : childrenOf(wrapped)
  const parts = signedData === undefined ? [] : childrenOf(signedData)
  const certificates = parts.find(({ tag }) => tag === 0xa0)
  const signer = parts.at(-1)
  if (certificates === undefined || signer === undefined) return undefined
  const serial = serialOf(signer)
  for (const { raw } of childrenOf(certificates).slice(0, MAX_CERTIFICATES)) {
    const certificate = read(raw)
    if (certificate === undefined) continue
    // A signer that is named by the id of the key has no serial number here. Then the first certificate is meant.
    if (serial === undefined || certificate.serialNumber.toLowerCase() === serial)
      return describe(certificate)
  }
  return undefined
}

/** The serial number in the first `SignerInfo`. */
function serialOf(signers: Der): string | undefined {
  const [first] = childrenOf(signers)
  const [, identifier] = first === undefined ? [] : childrenOf(first)
  const [, serial] = identifier === undefined || identifier.tag !== 0x30 ? [] : childrenOf(identifier)
  const digits = serial?.content.toString('hex').replace(/^(?:00)+(?=..)/, '')
  return digits
}

function read(raw: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(raw)
  } catch {
    return undefined
  }
}

/** Node has undefined for an empty name, whatever its types say. */
interface CertificateNames {
  readonly subject: string | undefined
  readonly issuer: string | undefined
}

function describe(
  certificate: Omit<X509Certificate, keyof CertificateNames> & CertificateNames,
): SigningCertificate {
  const { subject, issuer, subjectAltName, serialNumber, raw } = certificate
  const tbs = childrenOf(readDer(raw, 0) ?? none)[0] ?? none
  const extensions = childrenOf(childrenOf(tbs).find(({ tag }) => tag === 0xa3) ?? none)[0] ?? none
  return {
    subject: named(subject),
    subject_key_identifier: keyId(childrenOf(wrappedIn(extensions, SUBJECT_KEY_ID))[0] ?? undefined),
    email:
      /(?:^|, )email:([^\s,]+)/.exec(subjectAltName ?? '')?.[1] ??
      /^emailAddress=(.+)$/m.exec(subject ?? '')?.[1] ??
      null,
    serial_number: decimal(serialNumber),
    issuer: {
      subject: named(issuer),
      subject_key_identifier: keyId(
        childrenOf(childrenOf(wrappedIn(extensions, AUTHORITY_KEY_ID))[0] ?? none).find(
          ({ tag }) => tag === 0x80,
        ),
      ),
      crl_url:
        /https?:\/\/[!-~]+/.exec(wrappedIn(extensions, CRL_POINTS).content.toString('latin1'))?.[0] ?? null,
    },
  }
}

/** Some certificates have a number below zero, which they should not: `-05`. */
function decimal(hexadecimal: string): string {
  const digits = hexadecimal.replace(/^-/, '')
  const number = BigInt(`0x${digits}`)
  return String(digits === hexadecimal ? number : -number)
}

const none: Der = { tag: 0, content: Buffer.alloc(0), raw: Buffer.alloc(0), end: 0 }

/** The value of an extension, which is wrapped in a string of bytes. */
function wrappedIn(extensions: Der, id: string): Der {
  const extension = childrenOf(extensions).find((one) => childrenOf(one)[0]?.content.toString('hex') === id)
  const value = extension === undefined ? undefined : childrenOf(extension).at(-1)
  return value === undefined ? none : { ...none, tag: 0x30, content: value.content }
}

const keyId = (value: Der | undefined): string | null =>
  value === undefined || value.content.length === 0
    ? null
    : value.content
        .toString('hex')
        .replace(/(..)(?!$)/g, '$1:')
        .toUpperCase()

/** A name with its most particular part first, on one line. */
const named = (name = ''): string => name.split('\n').toReversed().join(',')

import { X509Certificate } from 'node:crypto'
import type { Json } from '../../config/values.ts'

/** What a file says of itself, under the names that the API has. */
export interface Metadata {
  readonly [name: string]: Json
}

/** What a certificate says of itself, in DER or PEM. Undefined for what is none. */
export function certificateMetadata(bytes: Buffer): Metadata | undefined {
  const certificate = readCertificate(bytes)
  if (certificate === undefined) return undefined
  const { issuer, subject } = certificate.toLegacyObject()
  return {
    id: serialOf(certificate),
    issuer: partsOf(issuer),
    subject: partsOf(subject),
    expires_at: certificate.validToDate.toISOString(),
  }
}

/** Undefined for what is no certificate. */
export function readCertificate(bytes: Buffer): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(bytes)
    return Number.isNaN(certificate.validToDate.getTime()) ? undefined : certificate
  } catch {
    return undefined
  }
}

/** The serial number in decimal. Some have one below zero, which they should not: `-05`. */
export function serialOf({ serialNumber }: X509Certificate): string {
  const digits = serialNumber.replace(/^-/, '')
  const number = BigInt(`0x${digits}`)
  return String(digits === serialNumber ? number : -number)
}

/** The parts of a name, such as `CN`; one that comes more than once as one text. Node has none for an empty name. */
const partsOf = (name: object | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(name ?? {}).map(([part, value]: [string, unknown]) => [part, [value].flat().join(', ')]),
  )

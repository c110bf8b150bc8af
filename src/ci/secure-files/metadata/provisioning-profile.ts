import { childrenOf, readDer } from '#code/commits/signatures/der.ts'
import type { Json } from '../../config/values.ts'
import { type Metadata, readCertificate, serialOf } from './certificate.ts'
import { readPropertyList } from './property-list.ts'

/** Certificates of a profile that are looked into. */
const MOST_CERTIFICATES = 100

/** What an Apple provisioning profile says of itself. Undefined for what is none. Nobody checks its signature. */
export async function profileMetadata(bytes: Buffer): Promise<Metadata | undefined> {
  const signed = signedContent(bytes)
  const list = signed && (await readPropertyList(signed.toString('utf8')))
  if (!isObject(list)) return undefined
  const value = (name: string): Json => list[name] ?? null
  const entitlements = value('Entitlements')
  return {
    id: value('UUID'),
    app_id: isObject(entitlements) ? (entitlements['application-identifier'] ?? null) : null,
    app_id_prefix: value('ApplicationIdentifierPrefix'),
    app_name: value('AppIDName'),
    certificate_ids: certificateIds(value('DeveloperCertificates')),
    devices: value('ProvisionedDevices'),
    entitlements,
    expires_at: momentOf(value('ExpirationDate')),
    platforms: value('Platform'),
    team_id: value('TeamIdentifier'),
    team_name: value('TeamName'),
    xcode_managed: value('IsXcodeManaged'),
  }
}

/** The content of signed data (RFC 5652, section 5): `ContentInfo`, `SignedData`, `EncapsulatedContentInfo`. */
function signedContent(bytes: Buffer): Buffer | undefined {
  const info = readDer(bytes, 0)
  const [, wrapped] = info === undefined ? [] : childrenOf(info)
  const [data] = wrapped === undefined ? [] : childrenOf(wrapped)
  const [, , encapsulated] = data === undefined ? [] : childrenOf(data)
  const [, content] = encapsulated === undefined ? [] : childrenOf(encapsulated)
  const [octets] = content === undefined ? [] : childrenOf(content)
  return octets?.content
}

function certificateIds(value: Json): Json {
  if (!Array.isArray(value)) return null
  return value.slice(0, MOST_CERTIFICATES).flatMap((one: Json) => {
    const certificate = typeof one === 'string' ? readCertificate(Buffer.from(one, 'base64')) : undefined
    return certificate === undefined ? [] : [serialOf(certificate)]
  })
}

function momentOf(value: Json): string | null {
  const moment = new Date(typeof value === 'string' ? value : Number.NaN)
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString()
}

const isObject = (value: Json | undefined): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

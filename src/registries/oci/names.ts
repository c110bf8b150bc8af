import { RegistryError } from './errors.ts'

/** What a path below a virtual registry names. */
export type PullTarget =
  | {
      readonly kind: 'manifest'
      readonly image: string
      readonly reference: string
      readonly digest: Digest | undefined
    }
  | { readonly kind: 'blob'; readonly image: string; readonly digest: Digest }
  | { readonly kind: 'tags'; readonly image: string }
  | { readonly kind: 'referrers'; readonly image: string; readonly digest: Digest }

export interface Digest {
  readonly algorithm: 'sha256' | 'sha512'
  readonly hex: string
  /** `sha256:…` */
  readonly text: string
}

/** The grammar of the distribution specification; registries refuse longer names, too. */
const NAME = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/
const LONGEST_NAME = 255
const TAG = /^\w[\w.-]{0,127}$/
const DIGEST = /^(?:(sha256):([0-9a-f]{64})|(sha512):([0-9a-f]{128}))$/

/** @returns undefined for what is no digest that can be verified */
export function readDigest(text: string): Digest | undefined {
  const [, one, oneHex, other, otherHex] = DIGEST.exec(text) ?? []
  if (one !== undefined && oneHex !== undefined) return { algorithm: 'sha256', hex: oneHex, text }
  return other !== undefined && otherHex !== undefined
    ? { algorithm: 'sha512', hex: otherHex, text }
    : undefined
}

/** @throws 400 for what is no digest that can be verified */
export function digestIn(text: string): Digest {
  const digest = readDigest(text)
  if (digest === undefined)
    throw new RegistryError(400, 'DIGEST_INVALID', 'the digest is not valid, or not supported')
  return digest
}

/** @throws 400 for a name out of the grammar */
export function assertName(image: string): void {
  if (image.length > LONGEST_NAME || !NAME.test(image))
    throw new RegistryError(400, 'NAME_INVALID', 'invalid repository name')
}

/** Reads what follows the id of the registry. @throws RegistryError 404 for other paths, 400 for names out of the grammar */
export function readPath(path: string): PullTarget {
  const [, image, kind, rest] = /^(.+?)\/(manifests|blobs|tags|referrers)\/([^/]+)$/.exec(path) ?? []
  if (image === undefined || kind === undefined || rest === undefined || (kind === 'tags' && rest !== 'list'))
    throw new RegistryError(404, 'UNSUPPORTED', 'there is nothing at this path')
  assertName(image)
  if (kind === 'tags') return { kind: 'tags', image }
  if (kind === 'blobs') return { kind: 'blob', image, digest: digestIn(rest) }
  if (kind === 'referrers') return { kind: 'referrers', image, digest: digestIn(rest) }
  if (rest.includes(':')) {
    const digest = digestIn(rest)
    return { kind: 'manifest', image, reference: digest.text, digest }
  }
  if (!TAG.test(rest)) throw new RegistryError(404, 'MANIFEST_UNKNOWN', 'manifest unknown')
  return { kind: 'manifest', image, reference: rest, digest: undefined }
}

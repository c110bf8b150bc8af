import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import { entriesOf } from '#platform/sequences.ts'
import { RegistryError } from '../../oci/errors.ts'
import { indexTypes, manifestTypes } from '../../oci/media-types.ts'
import { readDigest } from '../../oci/names.ts'

/** The largest manifest, as the distribution specification asks for at least. */
export const MAX_MANIFEST = 4 * 1024 * 1024
/** Layers of an image, manifests of an index, and annotations of both. The largest images have 127 layers. */
const MAX_ENTRIES = 1_000
/** Bytes of annotations that lists repeat; longer ones are in the manifest alone. */
const MAX_ANNOTATIONS = 16 * 1024

const mediaType = Type.String({ maxLength: 255 })
const Descriptor = Type.Object({
  mediaType: Type.Optional(mediaType),
  digest: Type.String({ maxLength: 140 }),
  size: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  urls: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
})
const annotations = Type.Record(Type.String(), Type.String())
const Common = {
  schemaVersion: Type.Literal(2),
  mediaType: Type.Optional(mediaType),
  artifactType: Type.Optional(mediaType),
  subject: Type.Optional(Descriptor),
  annotations: Type.Optional(annotations),
}
const ImageManifest = Type.Object({
  ...Common,
  config: Descriptor,
  layers: Type.Array(Descriptor),
})
const ImageIndex = Type.Object({ ...Common, manifests: Type.Array(Descriptor) })

/** What a manifest says. Digests are SHA-256 in hexadecimal. */
export interface ReadManifest {
  readonly mediaType: string
  readonly artifactType: string | null
  readonly annotations: Readonly<Record<string, string>> | null
  readonly subject: string | null
  /** Undefined for an index. */
  readonly config: string | null
  /** The blobs that it names and that must be there. */
  readonly blobs: readonly string[]
  /** The manifests that it names. */
  readonly children: readonly string[]
}

/** Reads a manifest that a client sends. @throws 400 for what is none, or names too much */
export function readManifest(bytes: Buffer, contentType: string | undefined): ReadManifest {
  const json = parsed(bytes)
  assertFew(json)
  const own = typeof json === 'object' && json !== null && 'mediaType' in json ? json.mediaType : undefined
  const told = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  const type = told ?? (typeof own === 'string' ? own : '')
  if (!manifestTypes.includes(type))
    throw invalid(`the media type is not supported: send one of ${manifestTypes.join(', ')}`)
  if (own !== undefined && own !== type) throw invalid('its mediaType is not the Content-Type')
  if (indexTypes.includes(type)) {
    if (!Check(ImageIndex, json)) throw invalid('it is not an image index')
    return {
      ...commonOf(type, json),
      config: null,
      blobs: [],
      children: [...new Set(json.manifests.map(hexOf))],
    }
  }
  if (!Check(ImageManifest, json)) throw invalid('it is not an image manifest')
  const { config, layers } = json
  // What names other places need not be here.
  const kept = layers.filter(({ urls = [] }) => urls.length === 0)
  const common = commonOf(type, json)
  return {
    ...common,
    artifactType: common.artifactType ?? config.mediaType ?? null,
    config: hexOf(config),
    blobs: [...new Set([hexOf(config), ...kept.map(hexOf)])],
    children: [],
  }
}

const invalid = (why: string) => new RegistryError(400, 'MANIFEST_INVALID', `manifest invalid: ${why}`)

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw invalid('it is not JSON')
  }
}

type Named = Static<typeof Descriptor>

function commonOf(
  mediaType: string,
  json: Pick<Static<typeof ImageIndex>, 'artifactType' | 'annotations' | 'subject'>,
): Pick<ReadManifest, 'mediaType' | 'artifactType' | 'annotations' | 'subject'> {
  const isShort = JSON.stringify(json.annotations ?? {}).length <= MAX_ANNOTATIONS
  return {
    mediaType,
    artifactType: json.artifactType ?? null,
    annotations: isShort ? (json.annotations ?? null) : null,
    subject: json.subject === undefined ? null : hexOf(json.subject),
  }
}

function assertFew(json: unknown): void {
  if (typeof json !== 'object' || json === null) return
  for (const [what, value] of Object.entries(json))
    if (COUNTED.has(what) && entriesOf(value) > MAX_ENTRIES)
      throw invalid(`it has more than ${MAX_ENTRIES} ${what}`)
}

const COUNTED: ReadonlySet<string> = new Set(['layers', 'manifests', 'annotations'])

function hexOf({ digest }: Named): string {
  const read = readDigest(digest)
  if (read?.algorithm !== 'sha256')
    throw new RegistryError(400, 'DIGEST_INVALID', 'a digest in the manifest is not one of SHA-256')
  return read.hex
}

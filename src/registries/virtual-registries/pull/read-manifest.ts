import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { OutgoingFailed } from '#platform/outgoing/errors.ts'
import type { OutgoingAnswer } from '#platform/outgoing/outgoing.ts'
import type { KnownUpstream } from '../cache/entries.ts'
import { bytesOf } from '../remote/remotes.ts'
import type { PullContext } from './context.ts'
import { type UpstreamFailed, failed } from './found.ts'
import { type Digest, readDigest } from '../../oci/names.ts'

/** The bytes of a manifest, verified. */
export interface Manifest {
  readonly kind: 'manifest'
  readonly bytes: Buffer
  readonly digest: string
  readonly mediaType: string
  readonly etag: string | null
}

/** Reads and verifies what an upstream sends for a digest, or for a tag: `undefined`. */
export async function readManifest(
  context: PullContext,
  { id, name }: KnownUpstream,
  wanted: Digest | undefined,
  { headers, body }: OutgoingAnswer,
): Promise<Manifest | UpstreamFailed> {
  let bytes: Buffer
  try {
    bytes = await bytesOf(body)
  } catch (error) {
    if (!(error instanceof OutgoingFailed)) throw error
    context.states.noteDown(id)
    return failed('down', name)
  }
  // The upstream's own word for it must hold, too: so a tag is as verified as a digest.
  const told = digestHeaderOf(headers)
  const right = [wanted, told].every((digest) => digest === undefined || isOf(digest, bytes))
  const mediaType = mediaTypeOf(headers, bytes)
  if (!right || mediaType === undefined) {
    context.log.warn(
      { upstream: id, expected: wanted?.text ?? told?.text },
      'an upstream sent something wrong',
    )
    return failed('wrong', name)
  }
  const digest = wanted?.text ?? told?.text ?? `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const etag = headers.etag ?? null
  return {
    kind: 'manifest',
    bytes,
    digest,
    mediaType,
    etag: etag !== null && etag.length > 255 ? null : etag,
  }
}

const isOf = ({ algorithm, hex }: Digest, bytes: Buffer): boolean =>
  createHash(algorithm).update(bytes).digest('hex') === hex

/** The media type of a manifest; undefined for what is none, such as the page of a proxy. */
function mediaTypeOf(headers: IncomingHttpHeaders, bytes: Buffer): string | undefined {
  let manifest: unknown
  try {
    manifest = JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
  if (typeof manifest !== 'object' || manifest === null || !('schemaVersion' in manifest)) return undefined
  const told = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const own = 'mediaType' in manifest && typeof manifest.mediaType === 'string' ? manifest.mediaType : ''
  return [told, own].find((type) => type.length <= 255 && /^application\/[\w.+-]+$/.test(type))
}

/** The digest that an upstream says. */
export const digestHeaderOf = (headers: IncomingHttpHeaders): Digest | undefined =>
  readDigest([headers['docker-content-digest']].flat()[0] ?? '')

import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { OutgoingFailed } from '#platform/outgoing/errors.ts'
import type { OutgoingAnswer } from '#platform/outgoing/outgoing.ts'
import {
  type Entry,
  findEntries,
  forgetEntry,
  keepEntries,
  type KnownUpstream,
  type NewEntry,
  noteChecked,
} from '../cache/entries.ts'
import { indexTypes } from '../remote/media-types.ts'
import { bytesOf } from '../remote/remotes.ts'
import type { PullContext } from './context.ts'
import { RegistryError } from './errors.ts'
import { type Failed, failed, type ManifestFound } from './found.ts'
import type { Result } from './metrics.ts'
import { type Digest, readDigest } from './names.ts'

/** The largest manifest, as the distribution specification asks for at least. */
const LARGEST = 4 * 1024 * 1024
const HOUR = 3_600_000

export interface AskedManifest {
  readonly image: string
  readonly reference: string
  /** Undefined for a tag. */
  readonly digest: Digest | undefined
  /** The media types that the client accepts, in one form. */
  readonly accept: readonly string[]
}

/** A manifest that can be served, and how it was found. */
export interface ServedManifest {
  readonly entry: Entry
  readonly result: Result
}

export const manifestPath = ({ image, reference }: Pick<AskedManifest, 'image' | 'reference'>) =>
  `${image}/manifests/${reference}`

/**
 * Finds a manifest: among what is kept, or at the upstreams in their order.
 *
 * What a digest names never changes, so nobody is asked for it again. A tag is served for as long as its upstream says,
 * then that upstream is asked whether it is still the same; while it does not answer, what is kept is served.
 * @throws RegistryError
 */
export async function findManifest(
  context: PullContext,
  upstreams: readonly KnownUpstream[],
  asked: AskedManifest,
): Promise<ServedManifest> {
  const kept = upstreams.flatMap((upstream) =>
    upstream.entries.filter((entry) => suits(entry, asked)).map((entry) => ({ upstream, entry })),
  )
  const now = context.services.clock.now().getTime()
  const fresh = kept.find(
    ({ upstream, entry }) => asked.digest !== undefined || now - entry.checkedAt < upstream.validHours * HOUR,
  )
  if (fresh !== undefined) return { entry: fresh.entry, result: 'hit' }
  const [old] = kept
  if (old !== undefined) {
    const found = await fetchManifest(context, old.upstream, asked, old.entry)
    if (found.kind === 'kept') return { entry: found.entry, result: 'miss' }
    if (found.kind === 'unchanged') return { entry: old.entry, result: 'revalidated' }
    if (found.kind === 'failed') return { entry: old.entry, result: 'stale' }
    await forgetEntry(context.services.db, old.entry.id)
  }
  return { entry: await search(context, upstreams, asked), result: 'miss' }
}

/**
 * Asks the upstreams in their order. A tag whose upstream fails is not taken from a later one, where it may mean another
 * image; a digest means the same everywhere.
 */
async function search(
  context: PullContext,
  upstreams: readonly KnownUpstream[],
  asked: AskedManifest,
): Promise<Entry> {
  let failure: RegistryError | undefined
  for (const upstream of upstreams) {
    const found = await fetchManifest(context, upstream, asked)
    if (found.kind === 'kept') return found.entry
    if (found.kind !== 'failed') continue
    failure ??= found.error
    if (asked.digest === undefined) break
  }
  throw failure ?? new RegistryError(404, 'MANIFEST_UNKNOWN', 'manifest unknown')
}

/** Whether nobody need be asked for it. */
const isFresh = (
  { services }: PullContext,
  { validHours }: KnownUpstream,
  { checkedAt }: Entry,
  { digest }: AskedManifest,
): boolean => digest !== undefined || services.clock.now().getTime() - checkedAt < validHours * HOUR

/**
 * Whether what is kept is what the upstream would send to this client. Upstreams choose by the media types that a client
 * accepts: an index where it may be one, whatever else is accepted.
 */
function suits({ accept, mediaType }: Entry, asked: AskedManifest): boolean {
  if (asked.digest !== undefined) return true
  const known = accept.split(' ')
  return (
    asked.accept.includes(mediaType) &&
    (indexTypes.includes(mediaType) || asked.accept.every((type) => known.includes(type)))
  )
}

/** Asks one upstream; several requests at once ask it once. @param old what is kept of it and may still hold. */
function fetchManifest(
  context: PullContext,
  upstream: KnownUpstream,
  asked: AskedManifest,
  old?: Entry,
): Promise<ManifestFound> {
  const path = manifestPath(asked)
  const key = [upstream.id, path, ...(asked.digest === undefined ? asked.accept : [])].join(' ')
  if (context.states.isAbsent(key)) return Promise.resolve({ kind: 'absent' })
  return context.manifests.once(key, () => {
    const begun = fetchNow(context, upstream, asked, old).then((found) => {
      if (found.kind === 'absent') context.states.noteAbsent(key)
      return found
    })
    return { begun, ended: begun }
  })
}

async function fetchNow(
  context: PullContext,
  upstream: KnownUpstream,
  asked: AskedManifest,
  old: Entry | undefined,
): Promise<ManifestFound> {
  const path = manifestPath(asked)
  if (old === undefined) {
    // Somebody else may have got it since this request has looked.
    const entries = await findEntries(context.services.db, upstream.id, path)
    const entry = entries.find((one) => suits(one, asked) && isFresh(context, upstream, one, asked))
    if (entry !== undefined) return { kind: 'kept', entry }
  }
  const found = await context.ask(upstream, {
    method: 'GET',
    image: asked.image,
    path,
    headers: {
      accept: asked.accept.join(', '),
      ...(old?.etag != null && { 'if-none-match': old.etag }),
    },
    maxBytes: LARGEST,
  })
  if (found.kind !== 'answer') return found
  const { answer } = found
  if (answer.status === 304) {
    answer.body.destroy()
    if (old === undefined) return failed('wrong', upstream.name)
    await noteChecked(context.services, old.id)
    return { kind: 'unchanged' }
  }
  const manifest = await readManifest(context, upstream, asked, answer)
  if (manifest.kind === 'failed') return manifest
  return keep(context, upstream, asked, manifest)
}

interface Manifest {
  readonly kind: 'manifest'
  readonly bytes: Buffer
  readonly digest: string
  readonly mediaType: string
  readonly etag: string | null
}

/** Reads and verifies what an upstream sends. */
async function readManifest(
  context: PullContext,
  { id, name }: KnownUpstream,
  { digest: wanted }: AskedManifest,
  { headers, body }: OutgoingAnswer,
): Promise<Manifest | Failed> {
  let bytes: Buffer
  try {
    bytes = await bytesOf(body)
  } catch (error) {
    if (!(error instanceof OutgoingFailed)) throw error
    context.states.noteDown(id)
    return failed('down', name)
  }
  // The upstream's own word for it must hold, too: so a tag is as verified as a digest.
  const told = readDigest([headers['docker-content-digest']].flat()[0] ?? '')
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

/** Keeps a manifest under what was asked for, and under its digest: clients ask for the tag, then for the digest. */
async function keep(
  context: PullContext,
  upstream: KnownUpstream,
  asked: AskedManifest,
  { bytes, digest, mediaType, etag }: Manifest,
): Promise<ManifestFound> {
  const { services } = context
  const file = await services.files.store(bytes, { max: LARGEST })
  const byDigest: NewEntry = {
    path: manifestPath({ image: asked.image, reference: digest }),
    accept: '',
    digest,
    mediaType,
    etag,
  }
  const byTag: NewEntry = { ...byDigest, path: manifestPath(asked), accept: asked.accept.join(' ') }
  const kept = await keepEntries(
    services,
    upstream.id,
    file,
    asked.digest === undefined ? [byTag, byDigest] : [byDigest],
  )
  const [entry] = kept
  // The upstream was deleted meanwhile.
  if (entry === undefined) return { kind: 'absent' }
  context.recent.add(entry.file.sha256, bytes)
  return { kind: 'kept', entry }
}

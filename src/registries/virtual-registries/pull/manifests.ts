import {
  type Entry,
  findEntries,
  forgetEntry,
  keepEntries,
  type KnownUpstream,
  type NewEntry,
  noteChecked,
} from '../cache/entries.ts'
import { indexTypes } from '../../oci/media-types.ts'
import type { Question } from '../remote/remotes.ts'
import type { PullContext } from './context.ts'
import { RegistryError } from '../../oci/errors.ts'
import { failed, type ManifestFound } from './found.ts'
import { askInOrder } from './in-order.ts'
import type { Result } from './metrics.ts'
import type { Digest } from '../../oci/names.ts'
import { readManifest, digestHeaderOf } from './read-manifest.ts'

/** The largest manifest, as the distribution specification asks for at least. */
const LARGEST = 4 * 1024 * 1024
const HOUR = 3_600_000

export interface ManifestRequest {
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

export const manifestPath = ({ image, reference }: Pick<ManifestRequest, 'image' | 'reference'>) =>
  `${image}/manifests/${reference}`

/**
 * Finds a manifest: among what is kept, or at the upstreams in their order.
 *
 * What a digest names never changes, so nobody is asked for it again. A tag is served for as long as its upstream says,
 * then that upstream is asked whether it is still the same. What is kept is served until an upstream says that it does
 * not have it: also when it was got for a client that accepts other media types, if this one accepts what it is.
 * @throws RegistryError
 */
export async function findManifest(
  context: PullContext,
  upstreams: readonly KnownUpstream[],
  asked: ManifestRequest,
): Promise<ServedManifest> {
  const kept = upstreams.flatMap((upstream) =>
    upstream.entries.filter((entry) => isAccepted(entry, asked)).map((entry) => ({ upstream, entry })),
  )
  const best = kept.filter(({ entry }) => isBest(entry, asked))
  const fresh = best.find(({ upstream, entry }) => isFresh(context, upstream, entry, asked))
  if (fresh !== undefined) return { entry: fresh.entry, result: 'hit' }
  const [old] = best
  if (old !== undefined) {
    if (context.isResting(old.upstream)) return { entry: old.entry, result: 'stale' }
    const found = await fetchManifest(context, old.upstream, asked, old.entry)
    if (found.kind === 'kept') return { entry: found.entry, result: 'miss' }
    if (found.kind === 'unchanged') return { entry: old.entry, result: 'revalidated' }
    if (found.kind !== 'absent') return { entry: old.entry, result: 'stale' }
    await forgetEntry(context.services.db, old.entry.id)
  }
  const others = kept.filter(({ upstream }) => upstream !== old?.upstream)
  try {
    return { entry: await search(context, upstreams, asked), result: 'miss' }
  } catch (error) {
    const [other] = others.toSorted((one, next) => next.entry.checkedAt - one.entry.checkedAt)
    if (other === undefined || !(error instanceof RegistryError) || error.isAbsence) throw error
    return { entry: other.entry, result: 'stale' }
  }
}

async function search(
  context: PullContext,
  upstreams: readonly KnownUpstream[],
  asked: ManifestRequest,
): Promise<Entry> {
  const unknown = () => new RegistryError(404, 'MANIFEST_UNKNOWN', 'manifest unknown')
  const { entry } = await askInOrder(
    context,
    upstreams,
    { same: asked.digest !== undefined, unknown },
    async (upstream) => {
      const found = await fetchManifest(context, upstream, asked)
      // Only what is old can be unchanged.
      return found.kind === 'unchanged' ? failed('wrong', upstream.name) : found
    },
  )
  return entry
}

/** Whether nobody need be asked for it. */
const isFresh = (
  { services }: PullContext,
  { validHours }: KnownUpstream,
  { checkedAt }: Entry,
  { digest }: ManifestRequest,
): boolean => digest !== undefined || services.clock.now().getTime() - checkedAt < validHours * HOUR

/** Whether the client takes what is kept. */
const isAccepted = ({ mediaType }: Entry, asked: ManifestRequest): boolean =>
  asked.digest !== undefined || asked.accept.includes(mediaType)

/**
 * Whether what is kept is what the upstream would send to this client. Upstreams choose by the media types that a client
 * accepts: an index where it may be one, whatever else is accepted.
 */
function isBest({ accept, mediaType }: Entry, asked: ManifestRequest): boolean {
  if (asked.digest !== undefined || indexTypes.includes(mediaType)) return true
  const known = accept.split(' ')
  return asked.accept.every((type) => known.includes(type))
}

/** Asks one upstream; several requests at once ask it once. @param old what is kept of it and may still hold. */
function fetchManifest(
  context: PullContext,
  upstream: KnownUpstream,
  asked: ManifestRequest,
  old?: Entry,
): Promise<ManifestFound> {
  const path = manifestPath(asked)
  const key = [upstream.id, path, ...(asked.digest === undefined ? asked.accept : [])].join(' ')
  if (old === undefined && context.states.isAbsent(key)) return Promise.resolve({ kind: 'absent' })
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
  asked: ManifestRequest,
  old: Entry | undefined,
): Promise<ManifestFound> {
  const path = manifestPath(asked)
  if (old === undefined) {
    // Somebody else may have got it since this request has looked.
    const entries = await findEntries(context.services.db, upstream.id, path)
    const fresh = entries.find(
      (one) => isAccepted(one, asked) && isBest(one, asked) && isFresh(context, upstream, one, asked),
    )
    if (fresh !== undefined) return { kind: 'kept', entry: fresh }
  }
  const question = {
    image: asked.image,
    path,
    headers: {
      accept: asked.accept.join(', '),
      ...(old?.etag != null && { 'if-none-match': old.etag }),
    },
    maxBytes: LARGEST,
  }
  if (old !== undefined) {
    const answered = await askWhether(context, upstream, { question, old })
    if (answered !== undefined) return answered
  }
  const found = await context.ask(upstream, { ...question, method: 'GET' })
  if (found.kind !== 'answer') return found
  const { answer } = found
  if (answer.status === 304) {
    answer.body.destroy()
    if (old === undefined) return failed('wrong', upstream.name)
    await noteChecked(context.services, old.id)
    return { kind: 'unchanged' }
  }
  const manifest = await readManifest(context, upstream, asked.digest, answer)
  if (manifest.kind === 'failed') return manifest
  const { bytes } = manifest
  const taken = context.room.take(upstream.groupId, bytes.length)
  if (taken.kind === 'failed') return taken
  let kept = 0
  try {
    await taken.grow(bytes.length)
    const file = await context.services.files.store(bytes, { max: LARGEST })
    kept = bytes.length
    context.recent.keep(file.sha256, bytes)
    return await keep(context, upstream, asked, { ...manifest, file })
  } catch (error) {
    if (error instanceof RegistryError) return { kind: 'failed', error }
    throw error
  } finally {
    taken.end(kept)
  }
}

interface Old {
  readonly question: Omit<Question, 'method'>
  readonly old: Entry
}

/**
 * Asks by HEAD whether a tag is still what is kept: some registries count each GET as a pull.
 * @returns undefined when it is not, or HEAD does not tell.
 */
async function askWhether(
  context: PullContext,
  upstream: KnownUpstream,
  { question, old }: Old,
): Promise<ManifestFound | undefined> {
  const found = await context.ask(upstream, { ...question, method: 'HEAD' })
  // A registry may refuse HEAD, or find nothing by it. Then GET decides.
  if (found.kind !== 'answer') return context.isResting(upstream) ? found : undefined
  const { status, headers, body } = found.answer
  body.destroy()
  if (status !== 304 && digestHeaderOf(headers)?.text !== old.digest) return undefined
  await noteChecked(context.services, old.id)
  return { kind: 'unchanged' }
}

/** Keeps a manifest under what was asked for, and under its digest: clients ask for the tag, then for the digest. */
async function keep(
  { services }: PullContext,
  upstream: KnownUpstream,
  asked: ManifestRequest,
  { digest, mediaType, etag, file }: Pick<Entry, 'digest' | 'mediaType' | 'etag' | 'file'>,
): Promise<ManifestFound> {
  const path = manifestPath({ image: asked.image, reference: digest })
  const byDigest: NewEntry = { path, accept: '', digest, mediaType, etag }
  const byTag: NewEntry = { ...byDigest, path: manifestPath(asked), accept: asked.accept.join(' ') }
  const entries = asked.digest === undefined ? [byTag, byDigest] : [byDigest]
  const [entry] = await keepEntries(services, upstream.id, file, entries)
  // The upstream was deleted meanwhile.
  return entry === undefined ? { kind: 'absent' } : { kind: 'kept', entry }
}

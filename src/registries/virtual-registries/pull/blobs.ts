import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { LeaseHeld, withLease } from '#platform/jobs/lease.ts'
import { OutgoingFailed } from '#platform/outgoing/errors.ts'
import { newId } from '#platform/files/rows.ts'
import type { StoredFile } from '#platform/files/files.ts'
import { type Entry, findEntries, isCachedIn, keepEntries, type KnownUpstream } from '../cache/entries.ts'
import { IdentificationFailed } from '../remote/identification.ts'
import type { PullContext } from './context.ts'
import { Download, lengthOf } from './download.ts'
import { RegistryError } from '../../oci/errors.ts'
import type { BlobFound } from './found.ts'
import { askInOrder } from './in-order.ts'
import type { Digest } from '../../oci/names.ts'

/** The largest blob. */
const LARGEST = 64 * 1024 * 1024 * 1024
/** How long a request waits for another process that gets the same blob, in milliseconds, and how often it looks. */
const FOLLOW = 20_000
const LOOK = 150
const MEDIA_TYPE = 'application/octet-stream'

export interface BlobRequest {
  readonly image: string
  readonly digest: Digest
}

export type ServedBlob = Extract<BlobFound, { kind: 'kept' | 'coming' }>

export const blobPath = ({ image, digest }: BlobRequest) => `${image}/blobs/${digest.text}`

/** The digest says what any of them must send. */
const anywhere = {
  same: true,
  unknown: () => new RegistryError(404, 'BLOB_UNKNOWN', 'blob unknown to registry'),
}

/**
 * Finds a blob: among what is kept, or at the upstreams in their order. One that fails is passed over, because the digest
 * says what the others must send.
 * @throws RegistryError
 */
export async function findBlob(
  context: PullContext,
  upstreams: readonly KnownUpstream[],
  asked: BlobRequest,
): Promise<ServedBlob> {
  const [kept] = upstreams.flatMap(({ entries }) => entries)
  if (kept !== undefined) return { kind: 'kept', entry: kept }
  return askInOrder(context, upstreams, anywhere, (upstream) => fetchBlob(context, upstream, asked))
}

/** The size of a blob that is not kept, from the first upstream that has it. @throws RegistryError */
export async function askForBlob(
  context: PullContext,
  upstreams: readonly KnownUpstream[],
  asked: BlobRequest,
): Promise<number | undefined> {
  const { answer } = await askInOrder(context, upstreams, anywhere, (upstream) =>
    context.askHead(upstream, questionOf(asked)),
  )
  answer.body.destroy()
  return lengthOf(answer.headers)
}

const questionOf = (asked: BlobRequest) => ({
  image: asked.image,
  path: blobPath(asked),
  headers: { accept: '*/*' },
  maxBytes: LARGEST,
})

/** Gets a blob from one upstream; several requests at once get it once, in all processes. */
function fetchBlob(context: PullContext, upstream: KnownUpstream, asked: BlobRequest): Promise<BlobFound> {
  const path = blobPath(asked)
  const key = `${upstream.id} ${path}`
  if (context.states.isAbsent(key)) return Promise.resolve({ kind: 'absent' })
  return context.blobs.once(key, () => {
    const begun = Promise.withResolvers<BlobFound>()
    const ended = lead(context, upstream, asked, (found) => {
      if (found.kind === 'absent') context.states.noteAbsent(key)
      begun.resolve(found)
    }).catch(begun.reject)
    return { begun: begun.promise, ended }
  })
}

/**
 * Gets a blob while a lease keeps other processes from getting it, too. If another process has it, this one waits for
 * what that one keeps, and after some time gets the blob itself.
 */
async function lead(
  context: PullContext,
  upstream: KnownUpstream,
  asked: BlobRequest,
  begun: (found: BlobFound) => void,
): Promise<void> {
  const { signal, log, services } = context
  const path = blobPath(asked)
  const name = `${upstream.id} ${createHash('sha256').update(path).digest('hex')}`
  const lease = `container blob ${name}`
  for (const until = Date.now() + FOLLOW; Date.now() < until;) {
    try {
      return await withLease({ db: services.db, log, signal }, lease, async () => {
        // Another process may have had the lease until now.
        const [entry] = await findEntries(services.db, upstream.id, path)
        if (entry === undefined)
          await get(context, upstream, asked, { begun, spooled: name.replace(' ', '-') })
        else begun({ kind: 'kept', entry })
      })
    } catch (error) {
      if (!(error instanceof LeaseHeld)) throw error
    }
    const [entry] = await findEntries(services.db, upstream.id, path)
    if (entry !== undefined) return begun({ kind: 'kept', entry })
    await pause(LOOK, undefined, { signal })
  }
  await get(context, upstream, asked, { begun, spooled: newId(services.random) })
}

interface Getting {
  readonly begun: (found: BlobFound) => void
  /** The name of the file for the time being: the same one each time for whoever has the lease, who so finds what is left of it. */
  readonly spooled: string
}

async function get(
  context: PullContext,
  upstream: KnownUpstream,
  asked: BlobRequest,
  { begun, spooled }: Getting,
): Promise<void> {
  const { digest } = asked
  const same = await keptInGroup(context, upstream, digest)
  const question = questionOf(asked)
  const found =
    same === undefined
      ? await context.ask(upstream, { method: 'GET', ...question })
      : await context.askHead(upstream, question)
  if (found.kind !== 'answer') return begun(found)
  if (same !== undefined) {
    found.answer.body.destroy()
    const entry = await keep(context, upstream, asked, same)
    return begun(entry === undefined ? { kind: 'absent' } : { kind: 'kept', entry })
  }
  const size = lengthOf(found.answer.headers)
  const taken = context.room.take(upstream.groupId, size)
  if (taken.kind === 'failed') {
    found.answer.body.destroy()
    return begun(taken)
  }
  const remote = await context.remoteOf(upstream)
  const download = new Download({
    path: join(context.spool, spooled),
    digest,
    first: found.answer,
    continued: async (from, signal) => {
      const headers = { ...question.headers, ...(from > 0 && { range: `bytes=${from}-` }) }
      try {
        return await context.remotes.ask(remote, { ...question, method: 'GET', headers, signal })
      } catch (error) {
        if (!(error instanceof IdentificationFailed)) throw error
        throw new OutgoingFailed('unreachable', error.message, { cause: error })
      }
    },
    signal: context.signal,
    most: size ?? LARGEST,
    beforeWriting: taken.grow,
  })
  const kept = finish(context, upstream, asked, download)
  void kept.then((entry) => taken.end(entry?.file.size ?? 0))
  begun({ kind: 'coming', download, kept })
  await kept
}

/**
 * Bytes that another upstream of the group has kept are not transferred again, if this one has them, too. Those of
 * other groups are: whoever manages an upstream makes it say that it has anything.
 */
async function keptInGroup(
  { services }: PullContext,
  { groupId }: KnownUpstream,
  { algorithm, hex }: Digest,
): Promise<StoredFile | undefined> {
  if (algorithm !== 'sha256' || !(await isCachedIn(services.db, groupId, hex))) return undefined
  return services.files.findByDigest(hex)
}

/** @returns undefined when it failed, which the log tells: clients hear of it from the download. */
async function finish(
  context: PullContext,
  upstream: KnownUpstream,
  asked: BlobRequest,
  download: Download,
): Promise<Entry | undefined> {
  try {
    const bytes = await download.run()
    const { path } = download
    return await keep(context, upstream, asked, await context.services.files.storeFile(path, bytes))
  } catch (error) {
    if (!context.signal.aborted)
      context.log.warn(
        { err: error, upstream: upstream.id, digest: asked.digest.text },
        'a blob was not kept',
      )
    return undefined
  } finally {
    await download.end()
  }
}

async function keep(
  { services }: PullContext,
  upstream: KnownUpstream,
  asked: BlobRequest,
  file: StoredFile,
): Promise<Entry | undefined> {
  const entry = {
    path: blobPath(asked),
    accept: '',
    digest: asked.digest.text,
    mediaType: MEDIA_TYPE,
    etag: null,
  }
  const [kept] = await keepEntries(services, upstream.id, file, [entry])
  return kept
}

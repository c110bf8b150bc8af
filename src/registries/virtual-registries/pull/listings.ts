import { OutgoingFailed } from '#platform/outgoing/errors.ts'
import type { KnownUpstream } from '../cache/entries.ts'
import { manifestTypes } from '../../oci/media-types.ts'
import { readText } from '../remote/remotes.ts'
import type { PullContext } from './context.ts'
import { nameUnknown, RegistryError } from '../../oci/errors.ts'
import { failed } from './found.ts'
import { askInOrder } from './in-order.ts'
import { type ManifestRequest, manifestPath } from './manifests.ts'

/** Bytes of a list of tags, or of what refers to a manifest. */
const LARGEST = 8 * 1024 * 1024

export interface Listing {
  /** JSON. */
  readonly body: Readonly<Record<string, unknown>>
  readonly mediaType: string
  /** The query of the next page. */
  readonly next: string | undefined
  readonly filters: string | undefined
}

export interface ListingRequest {
  readonly image: string
  /** What follows `/v2/`, without the query. */
  readonly path: string
  readonly query: string
  readonly accept: string
}

/**
 * Asks the upstreams in their order for a list. It is not kept, because it is only asked for to see what is new.
 * @param upstreams those that may answer.
 * @throws RegistryError
 */
export async function findListing(
  context: PullContext,
  upstreams: readonly KnownUpstream[],
  { image, path, query, accept }: ListingRequest,
): Promise<Listing> {
  const { listing } = await askInOrder(
    context,
    upstreams,
    { same: false, unknown: nameUnknown },
    async (upstream) => {
      const found = await context.ask(upstream, {
        method: 'GET',
        image,
        path: query === '' ? path : `${path}?${query}`,
        headers: { accept },
        maxBytes: LARGEST,
      })
      if (found.kind !== 'answer') return found
      const read = await readListing(found.answer)
      return read === undefined ? failed('down', upstream.name) : { kind: 'listing' as const, listing: read }
    },
  )
  return listing
}

/**
 * The upstream that a digest comes from, which knows what refers to it: others may have an empty list for any digest.
 * @param upstreams with what they have kept of the manifest.
 * @returns it alone; all, when none says that it has the manifest.
 * @throws RegistryError when one could not be asked, and no other has it.
 */
export async function originOf(
  context: PullContext,
  upstreams: readonly KnownUpstream[],
  asked: Pick<ManifestRequest, 'image' | 'reference'>,
): Promise<readonly KnownUpstream[]> {
  const known = upstreams.find(({ entries }) => entries.length > 0)
  if (known !== undefined) return [known]
  if (upstreams.length < 2) return upstreams
  const question = {
    image: asked.image,
    path: manifestPath(asked),
    headers: { accept: manifestTypes.join(', ') },
    maxBytes: LARGEST,
  }
  try {
    const { origin } = await askInOrder(
      context,
      upstreams,
      { same: true, unknown: nameUnknown },
      async (upstream) => {
        const found = await context.askHead(upstream, question)
        if (found.kind !== 'answer') return found
        found.answer.body.destroy()
        return { kind: 'origin' as const, origin: upstream }
      },
    )
    return [origin]
  } catch (error) {
    if (error instanceof RegistryError && error.isAbsence) return upstreams
    throw error
  }
}

async function readListing({
  body,
  headers,
}: Extract<Awaited<ReturnType<PullContext['ask']>>, { kind: 'answer' }>['answer']) {
  try {
    const json: unknown = JSON.parse(await readText(body))
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
    const link = [headers.link].flat()[0]
    const told = headers['content-type']?.split(';', 1)[0]?.trim() ?? ''
    return {
      body: { ...json },
      mediaType: /^application\/[\w.+-]+$/.test(told) ? told : 'application/json',
      next: /<[^>?]*\?([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1],
      filters: [headers['oci-filters-applied']].flat()[0],
    }
  } catch (error) {
    if (error instanceof OutgoingFailed || error instanceof SyntaxError) return undefined
    throw error
  }
}

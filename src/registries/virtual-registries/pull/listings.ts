import { OutgoingFailed } from '#platform/outgoing/errors.ts'
import type { KnownUpstream } from '../cache/entries.ts'
import { textOf } from '../remote/remotes.ts'
import type { PullContext } from './context.ts'
import { failed } from './found.ts'
import { nameUnknown, type RegistryError } from './errors.ts'

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

export interface AskedListing {
  readonly image: string
  /** What follows `/v2/`, without the query. */
  readonly path: string
  readonly query: string
  readonly accept: string
}

/** Asks the upstreams in their order for a list. It is not kept, because it is only asked for to see what is new. @throws RegistryError */
export async function findListing(
  context: PullContext,
  upstreams: readonly KnownUpstream[],
  { image, path, query, accept }: AskedListing,
): Promise<Listing> {
  let failure: RegistryError | undefined
  for (const upstream of upstreams) {
    const found = await context.ask(upstream, {
      method: 'GET',
      image,
      path: query === '' ? path : `${path}?${query}`,
      headers: { accept },
      maxBytes: LARGEST,
    })
    if (found.kind === 'absent') continue
    const listing = found.kind === 'answer' ? await read(found.answer) : undefined
    if (listing !== undefined) return listing
    failure ??= (found.kind === 'failed' ? found : failed('down', upstream.name)).error
    break
  }
  throw failure ?? nameUnknown()
}

async function read({
  body,
  headers,
}: Extract<Awaited<ReturnType<PullContext['ask']>>, { kind: 'answer' }>['answer']) {
  try {
    const json: unknown = JSON.parse(await textOf(body))
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

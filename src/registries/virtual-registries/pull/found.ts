import type { OutgoingAnswer } from '#platform/outgoing/outgoing.ts'
import type { Entry } from '../cache/entries.ts'
import type { Download } from './download.ts'
import { RegistryError } from './errors.ts'

/** What came of asking one upstream for a blob. */
export type BlobFound =
  | { readonly kind: 'kept'; readonly entry: Entry }
  | { readonly kind: 'coming'; readonly download: Download; readonly kept: Promise<Entry | undefined> }
  | { readonly kind: 'absent' }
  | Failed

/** The same for a manifest. */
export type ManifestFound =
  | { readonly kind: 'kept'; readonly entry: Entry }
  /** It is still what is kept. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'absent' }
  | Failed

export type Asked =
  | { readonly kind: 'answer'; readonly answer: OutgoingAnswer }
  | { readonly kind: 'absent' }
  | Failed

export interface Failed {
  readonly kind: 'failed'
  readonly error: RegistryError
}

type Reason = 'down' | 'limited' | 'refused' | 'wrong'

const after = (milliseconds: number | undefined) => ({
  'retry-after': String(Math.max(1, Math.ceil((milliseconds ?? 1000) / 1000))),
})

/** What the client is told when an upstream fails. */
export function failed(reason: Reason, upstream: string, left?: number): Failed {
  const make = (): RegistryError => {
    if (reason === 'limited')
      return new RegistryError(429, 'TOOMANYREQUESTS', `upstream ${upstream} limits requests`, after(left))
    if (reason === 'down')
      return new RegistryError(503, 'UNAVAILABLE', `upstream ${upstream} is not available`, after(left))
    if (reason === 'refused')
      return new RegistryError(502, 'UNAVAILABLE', `requests to upstream ${upstream} are not allowed`)
    return new RegistryError(
      502,
      'DIGEST_INVALID',
      `upstream ${upstream} sent something else than was asked for`,
    )
  }
  return { kind: 'failed', error: make() }
}

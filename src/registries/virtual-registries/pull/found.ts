import type { OutgoingAnswer } from '#platform/outgoing/outgoing.ts'
import type { Entry } from '../cache/entries.ts'
import type { Download } from './download.ts'
import { denied, RegistryError } from '../../oci/errors.ts'

/** What came of asking one upstream for a blob. */
export type BlobFound =
  | { readonly kind: 'kept'; readonly entry: Entry }
  | { readonly kind: 'coming'; readonly download: Download; readonly kept: Promise<Entry | undefined> }
  | UpstreamMiss

/** The same for a manifest. */
export type ManifestFound =
  | { readonly kind: 'kept'; readonly entry: Entry }
  /** It is still what is kept. */
  | { readonly kind: 'unchanged' }
  | UpstreamMiss

export type UpstreamResult = { readonly kind: 'answer'; readonly answer: OutgoingAnswer } | UpstreamMiss

/** Why there is nothing of an upstream. */
export type UpstreamMiss = { readonly kind: 'absent' } | UpstreamDenied | UpstreamFailed

/** It knows who asks, and does not say whether it has this: many registries answer so to what they do not have. */
export interface UpstreamDenied {
  readonly kind: 'denied'
  readonly error: RegistryError
}

/** It could not be asked, so nothing is known of what it has. */
export interface UpstreamFailed {
  readonly kind: 'failed'
  readonly error: RegistryError
}

type Reason = 'down' | 'limited' | 'refused' | 'wrong' | 'unidentified'

const after = (milliseconds: number | undefined) => ({
  'retry-after': String(Math.max(1, Math.ceil((milliseconds ?? 1000) / 1000))),
})

export const deniedBy = (upstream: string): UpstreamDenied => ({
  kind: 'denied',
  error: denied(`upstream ${upstream} denies access, or does not have it`),
})

/** What the client is told when an upstream fails. */
export function failed(reason: Reason, upstream: string, left?: number): UpstreamFailed {
  const make = (): RegistryError => {
    if (reason === 'limited')
      return new RegistryError(429, 'TOOMANYREQUESTS', `upstream ${upstream} limits requests`, after(left))
    if (reason === 'down')
      return new RegistryError(503, 'UNAVAILABLE', `upstream ${upstream} is not available`, after(left))
    if (reason === 'refused')
      return new RegistryError(502, 'UNAVAILABLE', `requests to upstream ${upstream} are not allowed`)
    if (reason === 'unidentified')
      return new RegistryError(502, 'UNAVAILABLE', `upstream ${upstream} wants other credentials`)
    return new RegistryError(
      502,
      'DIGEST_INVALID',
      `upstream ${upstream} sent something else than was asked for`,
    )
  }
  return { kind: 'failed', error: make() }
}

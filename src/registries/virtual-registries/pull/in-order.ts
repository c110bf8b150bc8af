import type { KnownUpstream } from '../cache/entries.ts'
import type { PullContext } from './context.ts'
import type { RegistryError } from '../../oci/errors.ts'
import type { UpstreamMiss } from './found.ts'

interface InOrder {
  /**
   * Whether all upstreams mean the same by it, as by a digest: then one that fails is passed over, and asked last if it
   * has failed just now. By a tag a later upstream may mean another image.
   */
  readonly same: boolean
  /** When none has it. */
  readonly unknown: () => RegistryError
}

/** Asks the upstreams in their order, until one has it. @throws RegistryError */
export async function askInOrder<T extends { readonly kind: string }>(
  context: PullContext,
  upstreams: readonly KnownUpstream[],
  { same, unknown }: InOrder,
  ask: (upstream: KnownUpstream) => Promise<T | UpstreamMiss>,
): Promise<T> {
  const resting = same ? upstreams.filter((upstream) => context.isResting(upstream)) : []
  let failure: RegistryError | undefined
  let denial: RegistryError | undefined
  for (const upstream of [...upstreams.filter((one) => !resting.includes(one)), ...resting]) {
    const found = await ask(upstream)
    if (isMissing(found)) {
      if (found.kind === 'denied') denial ??= found.error
      if (found.kind !== 'failed') continue
      failure ??= found.error
      if (!same) break
    } else return found
  }
  throw failure ?? denial ?? unknown()
}

function isMissing(found: { readonly kind: string }): found is UpstreamMiss {
  return found.kind === 'absent' || found.kind === 'denied' || found.kind === 'failed'
}

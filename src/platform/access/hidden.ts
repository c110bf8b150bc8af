import type { Db } from '#platform/db/pool.ts'
import type { Actors } from '#platform/feature-flags/actors.ts'
import type { FeatureFlags } from '#platform/feature-flags/feature-flags.ts'
import { NotFound } from '#platform/refusals.ts'
import type { Identity } from './identity.ts'
import { mayRead } from './authorize.ts'
import { findContainer, type RequestedResource } from './containers.ts'
import type { RouteAccess } from './route-access.ts'
import type { Viewer } from './viewer.ts'

/** The caller and the requested resource. */
interface Asking {
  readonly identity: Identity | undefined
  readonly viewer: Viewer
  readonly requested: RequestedResource | undefined
}

/**
 * Hides an area whose feature flag is off for the caller and the requested resource. Runs after the credentials and
 * tier checks and before the parameters are read.
 * @throws 404
 */
export async function assertOpen(
  { featureFlag }: RouteAccess,
  services: { readonly db: Db; readonly featureFlags: FeatureFlags },
  asking: Asking,
): Promise<void> {
  if (featureFlag === undefined) return
  const container = await placeOf(services.db, asking)
  if (!services.featureFlags.isOn(featureFlag, { user: asking.identity?.user, ...container })) {
    throw new NotFound('404 Not Found')
  }
}

/** A container that the caller may not read opens no gate: the answer would reveal that it exists. */
async function placeOf(db: Db, { identity, viewer, requested }: Asking): Promise<Actors> {
  if (requested === undefined) return {}
  const { kind } = requested
  const row =
    identity?.container === undefined ? await findContainer(db, requested, viewer) : identity.container
  return row && mayRead(kind, row, viewer) ? { [kind]: { id: row.id } } : {}
}

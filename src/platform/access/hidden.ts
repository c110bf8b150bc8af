import type { Db } from '#platform/db/pool.ts'
import type { Actors } from '#platform/features/actors.ts'
import type { Features } from '#platform/features/features.ts'
import { HttpError } from '#platform/http/errors.ts'
import type { Identity, Sought } from './identity.ts'
import { mayRead } from './doors.ts'
import { findPlace } from './places.ts'
import type { RouteAccess } from './route-access.ts'
import type { Viewer } from './viewer.ts'

/** Who asks, and for what. */
interface Asking {
  readonly identity: Identity | undefined
  readonly viewer: Viewer
  readonly sought: Sought | undefined
}

/**
 * Hides an area whose feature switch is off for the caller and the place they ask for, after credentials and tiers
 * and before the parameters are looked at.
 * @throws 404
 */
export async function demandOpen(
  { feature }: RouteAccess,
  services: { readonly db: Db; readonly features: Features },
  asking: Asking,
): Promise<void> {
  if (feature === undefined) return
  const place = await placeOf(services.db, asking)
  if (!services.features.isOn(feature, { user: asking.identity?.user, ...place })) {
    throw new HttpError(404, { message: '404 Not Found' })
  }
}

/** A place that the caller may not read opens nothing: the answer would tell that it is there. */
async function placeOf(db: Db, { identity, viewer, sought }: Asking): Promise<Actors> {
  if (sought === undefined) return {}
  const { kind, key } = sought
  const row = identity?.place === undefined ? await findPlace(db, kind, key, viewer) : identity.place
  return row && mayRead(kind, row, viewer) ? { [kind]: { id: row.id } } : {}
}

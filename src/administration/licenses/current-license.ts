import type { Plan } from '#platform/access/route-access.ts'
import type { Listener } from '#platform/db/listener.ts'
import type { Db } from '#platform/db/pool.ts'
import type { LicensedPlan } from '#platform/db/schema.ts'
import { type Watched, watch } from '#platform/db/watched.ts'

/** The channel that announces changes. */
export const LICENSES_CHANNEL = 'forgelet_licenses'

/** What decides which license counts on a day. */
export interface LicenseSpan {
  readonly id: number
  readonly plan: LicensedPlan
  readonly starts_at: string
  /** The first day on which the license no longer counts. */
  readonly expires_at: string
}

/** All licenses, as this process knows them; the day decides which of them counts. */
export type LicensesView = Watched<readonly LicenseSpan[]>

/** Reads the licenses and keeps them up to date, also when other processes add or delete some. */
export function openLicenses(options: {
  readonly db: Db
  readonly listener: Listener
  readonly onError: (error: unknown) => void
}): Promise<LicensesView> {
  const { db, ...rest } = options
  const all = db.selectFrom('licenses').select(['id', 'plan', 'starts_at', 'expires_at']).orderBy('id')
  return watch({ ...rest, channel: LICENSES_CHANNEL, read: () => all.execute() })
}

/**
 * The license that counts on a day. Of those in force, it is the one that started last; of two that started on one day,
 * the one added last. When none is in force, it is the one that ended last; undefined when none has started.
 */
export function currentLicense(all: readonly LicenseSpan[], today: string): LicenseSpan | undefined {
  const started = all.filter(({ starts_at }) => starts_at <= today)
  const inForce = started.filter((license) => !hasExpired(license, today))
  return inForce.length > 0 ? latestBy('starts_at', inForce) : latestBy('expires_at', started)
}

function latestBy(key: 'starts_at' | 'expires_at', licenses: readonly LicenseSpan[]) {
  return licenses.toSorted((a, b) => b[key].localeCompare(a[key]) || b.id - a.id)[0]
}

export const hasExpired = ({ expires_at }: Pick<LicenseSpan, 'expires_at'>, today: string): boolean =>
  expires_at <= today

/** The plan that the licenses give on a day. */
export function planOn(all: readonly LicenseSpan[], today: string): Plan {
  const current = currentLicense(all, today)
  return current === undefined || hasExpired(current, today) ? 'free' : current.plan
}

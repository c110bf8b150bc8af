import type { EnvironmentGrantPurpose } from '#platform/db/schema.ts'
import { invalid } from '#platform/refusals.ts'
import { LEVEL_BESIDE_NAMED } from './entity.ts'
import type { Grant, Grantee, GrantValues } from './rows.ts'

/** The most users, groups and levels of one purpose. */
export const MOST_GRANTS = 100

/** A grant as a request names it. */
export interface GrantWish {
  readonly access_level?: number
  readonly user_id?: number
  readonly group_id?: number
  readonly group_inheritance_type?: number
  readonly required_approvals?: number
}

/** A new grant; or a change, or the removal, of the one with this id. */
export interface GrantChange extends GrantWish {
  readonly id?: number
  readonly _destroy?: boolean
}

/** A grant as it shall be; without an id, a new one. */
export interface GrantRequest extends GrantValues {
  readonly id: number | undefined
}

/** The parameters that list grants. */
export const parameterOf = { deploy: 'deploy_access_levels', approve: 'approval_rules' } as const

export const invalidGrant = (purpose: EnvironmentGrantPurpose, text: string) =>
  invalid({ [parameterOf[purpose]]: [text] })

/** The grantee: a user, a group or a level, as a key and in words. */
export const subjectOf = ({ access_level, user_id, group_id }: Grantee): string =>
  access_level === null
    ? user_id === null
      ? `group ${group_id}`
      : `user ${user_id}`
    : `level ${access_level}`

/** @returns undefined when a grant names nobody. @throws 400 when it names several */
function granteeOf(purpose: EnvironmentGrantPurpose, wish: GrantChange): Grantee | undefined {
  const { user_id = null, group_id = null } = wish
  const access_level = isAsShown(purpose, wish) ? null : (wish.access_level ?? null)
  const count = [access_level, user_id, group_id].filter((value) => value !== null).length
  if (count > 1) throw invalidGrant(purpose, 'must have exactly one of access_level, user_id and group_id')
  return count === 0 ? undefined : { access_level, user_id, group_id }
}

/** Whether a client sent back the level that answers show beside a user or group. */
const isAsShown = (purpose: EnvironmentGrantPurpose, wish: GrantChange): boolean =>
  purpose === 'deploy' &&
  wish.id !== undefined &&
  (wish.user_id !== undefined || wish.group_id !== undefined) &&
  wish.access_level === LEVEL_BESIDE_NAMED

/** The values of a requested grant. Those that it leaves out come from `base`, or are the defaults. @throws 400 */
function valuesOf(purpose: EnvironmentGrantPurpose, wish: GrantChange, base?: GrantValues): GrantValues {
  const grantee = granteeOf(purpose, wish) ?? base
  if (grantee === undefined)
    throw invalidGrant(purpose, 'must have exactly one of access_level, user_id and group_id')
  const { access_level, user_id, group_id } = grantee
  const { group_inheritance_type = base?.group_inheritance_type ?? 0 } = wish
  const required = wish.required_approvals ?? base?.required_approvals ?? 1
  return {
    access_level,
    user_id,
    group_id,
    group_inheritance_type,
    required_approvals: purpose === 'approve' ? required : null,
  }
}

/**
 * The grants of one purpose after a request. A list of all grants also sets their order. A shorter list leaves the others as they are,
 * and new grants come last. An element without an id changes the grant of the same grantee, if there is one.
 * @throws 400 for unknown ids, for a grantee that occurs twice, and for too many grants
 */
export function resolveGrants(
  purpose: EnvironmentGrantPurpose,
  known: readonly Grant[],
  wishes: readonly GrantChange[],
): GrantRequest[] {
  const { mentioned, removed } = idsIn(purpose, known, wishes)
  const left = new Map(known.filter(({ id }) => !mentioned.has(id)).map((grant) => [subjectOf(grant), grant]))
  const sent: GrantRequest[] = []
  for (const { _destroy: removes = false, ...wish } of wishes) {
    if (removes) continue
    const byId = known.find(({ id }) => id === wish.id)
    const same = byId ?? left.get(subjectOf(valuesOf(purpose, wish)))
    sent.push({ id: same?.id, ...valuesOf(purpose, wish, same) })
  }
  const changed = new Map(sent.map((grant) => [grant.id, grant]))
  const kept = known.filter(({ id }) => !removed.has(id))
  const all = kept.every(({ id }) => changed.has(id))
    ? sent
    : [...kept.map((grant) => changed.get(grant.id) ?? grant), ...sent.filter(({ id }) => id === undefined)]
  assertDistinct(purpose, [...sent, ...kept.filter(({ id }) => !changed.has(id))])
  if (all.length > MOST_GRANTS)
    throw invalidGrant(purpose, `is too long (maximum is ${MOST_GRANTS} elements)`)
  return all
}

/** The ids that a request mentions, and those that it removes. @throws 400 */
function idsIn(
  purpose: EnvironmentGrantPurpose,
  known: readonly Grant[],
  wishes: readonly GrantChange[],
): { readonly mentioned: ReadonlySet<number>; readonly removed: ReadonlySet<number> } {
  const mentioned = new Set<number>()
  const removed = new Set<number>()
  for (const { id, _destroy = false } of wishes) {
    if (id === undefined) {
      if (_destroy) throw invalidGrant(purpose, 'needs the id of what _destroy removes')
      continue
    }
    if (!known.some((grant) => grant.id === id)) throw invalidGrant(purpose, `${id} is not one of them`)
    if (mentioned.has(id)) throw invalidGrant(purpose, `${id} is mentioned twice`)
    mentioned.add(id)
    if (_destroy) removed.add(id)
  }
  return { mentioned, removed }
}

function assertDistinct(purpose: EnvironmentGrantPurpose, grants: readonly Grantee[]): void {
  const seen = new Set<string>()
  for (const grant of grants) {
    const subject = subjectOf(grant)
    if (seen.has(subject)) throw invalidGrant(purpose, `${subject} is named twice`)
    seen.add(subject)
  }
}

import { type Static, Type } from 'typebox'
import { levels } from '#platform/access/roles.ts'
import { flag, integer, list } from '#platform/http/schema.ts'

const allowed = list(Type.Object({ access_level: integer() }))

/** How the default branches of new projects are protected. */
export const BranchProtection = Type.Object({
  allowed_to_push: allowed,
  allow_force_push: flag(),
  allowed_to_merge: allowed,
  developer_can_initial_push: flag(),
})
export type BranchProtection = Static<typeof BranchProtection>

const from = (push: number, merge: number, force = false, initial = false): BranchProtection => ({
  allowed_to_push: [{ access_level: push }],
  allow_force_push: force,
  allowed_to_merge: [{ access_level: merge }],
  developer_can_initial_push: initial,
})

/** The meanings of the deprecated numbers 0 to 4. */
export const protections: readonly BranchProtection[] = [
  from(levels.developer, levels.developer, true),
  from(levels.developer, levels.developer),
  from(levels.maintainer, levels.maintainer),
  from(levels.maintainer, levels.developer),
  from(levels.maintainer, levels.maintainer, false, true),
]

/** A missing or unknown number means full protection. */
export const protectionOf = (number: number): BranchProtection =>
  protections[number] ?? from(levels.maintainer, levels.maintainer)

/** The deprecated number of a protection; 2, full protection, for one without a number. */
export function numberOf(protection: BranchProtection): number {
  const text = JSON.stringify(ordered(protection))
  const number = protections.findIndex((known) => JSON.stringify(ordered(known)) === text)
  return number < 0 ? 2 : number
}

/** Its parts in a fixed order, because jsonb has its own. */
const ordered = (protection: BranchProtection) => [
  protection.allowed_to_push.map(({ access_level }) => access_level),
  protection.allowed_to_merge.map(({ access_level }) => access_level),
  protection.allow_force_push,
  protection.developer_can_initial_push,
]

import type { Visibility } from '#platform/db/schema.ts'
import { forbidden } from '#platform/refusals.ts'
import type { ProjectFeatureLevels } from './project-features.ts'
import { levels, type Role } from './roles.ts'

/** All that decides what a caller may do with a project or group: plain values, no look-ups. */
export interface AccessContext {
  /** The caller's highest level there, by membership, inheritance or a share; 0 for none. */
  readonly level: number
  readonly visibility: Visibility
  readonly signedIn: boolean
  /** External users see internal projects and groups only as members. */
  readonly external: boolean
  readonly admin: boolean
  /** The project or group, or a group above it, is archived, so nothing in it may change. */
  readonly archived: boolean
  /** The caller may read something below this group, and so may see its name. */
  readonly readsBelow: boolean
  /** The project or group refuses the caller's address. It does not exist for anyone but administrators. */
  readonly closed: boolean
  /** The project features whose access level is not the default; see project-features.ts. Of a group, the wiki. */
  readonly features?: ProjectFeatureLevels
  /** Whether everybody who may see a project may see its pipelines; absent means that they may. */
  readonly publicJobs?: boolean
  /** The branches of a project to which something else than their role lets the caller push. */
  readonly branches?: readonly string[]
}

export type Rule = (accessContext: AccessContext) => boolean

/**
 * Everybody who may see the project or group: by visibility, as a guest or above, or through something below it; from
 * an allowed address.
 */
export const readers: Rule = (s) =>
  s.admin ||
  (!s.closed &&
    (s.level >= levels.guest ||
      s.visibility === 'public' ||
      (s.visibility === 'internal' && s.signedIn && !s.external) ||
      s.readsBelow))

/** Everybody with this role or a higher one. Use it only where order is meant; see {@link roles}. */
export const atLeast =
  (role: Role): Rule =>
  (s) =>
    s.admin || s.level >= levels[role]

/** Exactly these roles. Planner and Security Manager are not strictly ordered against their neighbours. */
export const roles =
  (...names: readonly Role[]): Rule =>
  (s) =>
    s.admin || names.some((name) => s.level === levels[name])

export const signedIn: Rule = (s) => s.signedIn && readers(s)
export const administrators: Rule = (s) => s.admin
export const both =
  (...all: readonly Rule[]): Rule =>
  (s) =>
    all.every((rule) => rule(s))

/** Refuses while the project or group is archived, administrators included. */
export const unlessArchived =
  (rule: Rule): Rule =>
  (s) =>
    !s.archived && rule(s)

/** Nobody may grant, change or remove a level higher than their own. @throws 403 */
export function assertMayGive(accessContext: AccessContext, level: number): void {
  if (!accessContext.admin && level > accessContext.level) throw forbidden()
}

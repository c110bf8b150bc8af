import type { Visibility } from '#platform/db/schema.ts'
import { forbidden } from '#platform/http/errors.ts'
import type { ProjectFeatureLevels } from './project-features.ts'
import { levels, type Role } from './roles.ts'

/** All that decides what a caller may do with a project or group: plain values, no look-ups. */
export interface AccessContext {
  /** The highest level of the caller there, by membership, inheritance or a share; 0 for none. */
  readonly level: number
  readonly visibility: Visibility
  readonly signedIn: boolean
  /** External users see what is internal only as members. */
  readonly external: boolean
  readonly admin: boolean
  /** The project or group, or a group above it, is archived: nothing in it changes. */
  readonly archived: boolean
  /** The caller may read something below this group, and so its name. */
  readonly readsBelow: boolean
  /** It takes no requests from the caller's address: for all but administrators it is not there. */
  readonly closed: boolean
  /** Of a project: which of its parts have another access level than by default; see features.ts. */
  readonly features?: ProjectFeatureLevels
}

export type Rule = (accessContext: AccessContext) => boolean

/** Whoever may see it at all: by visibility, as a guest or more, or from below; from an address that it takes. */
export const readers: Rule = (s) =>
  s.admin ||
  (!s.closed &&
    (s.level >= levels.guest ||
      s.visibility === 'public' ||
      (s.visibility === 'internal' && s.signedIn && !s.external) ||
      s.readsBelow))

/** Everybody from this role up. Only where order is meant: see {@link roles}. */
export const atLeast =
  (role: Role): Rule =>
  (s) =>
    s.admin || s.level >= levels[role]

/** Exactly these roles: Planner and Security Manager are not strictly ordered against their neighbours. */
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

/** Refused while archived, for administrators too. */
export const unlessArchived =
  (rule: Rule): Rule =>
  (s) =>
    !s.archived && rule(s)

/** Nobody gives, changes or takes away a higher level than their own. @throws 403 */
export function assertMayGive(accessContext: AccessContext, level: number): void {
  if (!accessContext.admin && level > accessContext.level) throw forbidden()
}

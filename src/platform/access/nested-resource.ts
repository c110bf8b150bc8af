import type { Expression, RawBuilder } from 'kysely'

/**
 * A resource in a project or group that a route's path names as well: `:issue_iid` in
 * `/projects/:id/issues/:issue_iid/notes`. A route declares it with {@link withNested}. Then the statement that
 * identifies the caller and finds the container also finds this resource, which saves a round trip.
 */
export interface NestedResource {
  /** The path parameter that names it. */
  readonly param: string
  /** The key for the statement; null when the parameter cannot be one. */
  keyOf(parameter: string): NestedKey | null
  /** Selects at most one row with everything that the routes need, whether or not the caller may see it. */
  select(values: NestedValues): RawBuilder<unknown>
}

export type NestedKey = string | number

/** The values of the statement that identifies the caller, as expressions. */
export interface NestedValues {
  /** The id of the project or group. */
  readonly container: Expression<number>
  readonly key: Expression<NestedKey | null>
  /** The id of the caller; null for anonymous callers. */
  readonly user: Expression<number> | null
}

/** A nested resource with the key that a request has for it. */
export interface RequestedNested {
  readonly resource: NestedResource
  readonly key: NestedKey | null
}

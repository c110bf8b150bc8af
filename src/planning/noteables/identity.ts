import type { TInteger, TString } from 'typebox'
import type { Tier } from '#platform/access/route-access.ts'
import type { Deprecation } from '#platform/http/deprecations.ts'
import type { NoteableContainer } from './containers.ts'

/** The path parameter that names a noteable. */
export interface PathKey {
  readonly param: string
  readonly schema: TInteger | TString
}

/** What noteables of a kind are called, and where they are. It is said once, and everything about the kind goes by it. */
export interface KindIdentity {
  /** The value of `noteables.kind`, which never changes. */
  readonly name: string
  /**
   * `noteable_type` in the API, the type of the targets of domain events, and the name in `404 <type> Not Found`. Kinds
   * may share it if their containers differ, such as wiki pages of projects and of groups.
   */
  readonly type: string
  /** In sentences: `mentioned in issue #12`. */
  readonly noun: string
  /** In the API's description: `List the notes on an issue`. */
  readonly title: string
  /** Its table, whose `id` refers to `noteables`. */
  readonly table: string
  /** The container of these noteables, and the rights there. */
  readonly container: NoteableContainer
  /** The collection in paths: `/projects/:id/issues`. */
  readonly segment: string
  /** The path parameter that names one. */
  readonly key: PathKey
  /** The plan that these need. */
  readonly tier?: Tier
  /** Why they, their notes and reactions should not be used any more. */
  readonly deprecated?: Deprecation
}

/** The path of one: `/projects/:id/issues/:issue_iid`. */
export const pathOf = ({
  container,
  segment,
  key,
}: Pick<KindIdentity, 'container' | 'segment' | 'key'>): string =>
  `${container.path}/${segment}/:${key.param}`

import { type RawBuilder, sql } from 'kysely'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import { codeReadableAt } from '#code/repositories/abilities.ts'
import { projectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import { planningFeatures } from '#planning/project-features.ts'
import type { ProjectAbility } from '#platform/access/abilities.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { grantedLevels, visibleTo } from '#platform/access/visible.ts'
import { type Area, areas, kindsWhere } from './kinds.ts'

type Sql = RawBuilder<unknown>
type Bool = RawBuilder<boolean>

/** A signed-in caller. */
export type FeedReader = Viewer & { readonly id: number }

/** Whose events a feed has, as far as the reader may see them. */
export type FeedOf =
  | { readonly kind: 'project'; readonly project: AuthorizedProject }
  /** Of one author, in all projects. */
  | { readonly kind: 'author'; readonly id: number }
  /** Of everybody, in the projects that the reader is a member of. */
  | { readonly kind: 'memberships' }

export interface Feed {
  readonly of: FeedOf
  readonly reader: FeedReader
  /** The numbers of the kinds that pass its filters. */
  readonly kinds: readonly number[]
  /** Days; only events after and before these. */
  readonly after?: string | undefined
  readonly before?: string | undefined
}

/** What it takes to read the events of an area. */
const abilities: Readonly<Record<Area, ProjectAbility>> = {
  project: 'read_project',
  code: 'download_code',
  issues: 'read_issue',
  merge_requests: 'read_merge_request',
  milestones: 'read_milestone',
  snippets: 'read_snippet',
  wiki: 'read_wiki',
}

/**
 * Decides rights once per statement: table expressions, the last of which is `streams (project_id, kind, trusted, member)`. It has
 * the kinds of events in each project that the reader may see. `trusted` readers see confidential issues and internal notes of
 * others there, a `member` private snippets.
 */
export function streams({ of, reader, kinds }: Feed): Sql {
  const wanted = sql`${[...kinds]}::integer[]`
  if (of.kind === 'project') {
    const { container, can } = of.project
    const open = areas.filter((area) => can(abilities[area]))
    const readable = kindsWhere(({ area }) => open.includes(area)).filter((kind) => kinds.includes(kind))
    const trusted = can('read_internal_note') && can('read_confidential_issue')
    return sql`streams (project_id, kind, trusted, member) as materialized (
      select ${container.id}::bigint, k.kind, ${trusted}::boolean, ${can('read_private_snippet')}::boolean
      from unnest(${readable}::integer[]) as k (kind)
      where exists (select 1 from event_streams s where s.project_id = ${container.id} and s.kind = k.kind))`
  }
  const granted = sql`granted (id, level) as materialized (${grantedLevels(reader)})`
  if (of.kind === 'author') {
    return sql`${granted}, own (project_id, kind) as materialized (
        select s.project_id, s.kind from event_streams s where s.author_id = ${of.id} and s.kind = any(${wanted})),
      ${places(reader, sql`select distinct o.project_id as id from own o`)},
      streams (project_id, kind, trusted, member) as materialized (
        select o.project_id, o.kind, v.trusted, v.member from own o join places v on v.id = o.project_id
        where o.kind = any(v.kinds))`
  }
  return sql`${granted}, ${places(reader, memberships)},
    streams (project_id, kind, trusted, member) as materialized (
      select v.id, k.kind, v.trusted, v.member from places v cross join lateral unnest(v.kinds) as k (kind)
      where k.kind = any(${wanted}) and exists (
        select 1 from event_streams s where s.project_id = v.id and s.kind = k.kind offset 0))`
}

/** The projects where the reader has a role, directly or by a share. */
const memberships = sql`select m.id from namespaces b join projects m on m.project_namespace_id = b.id
  where b.kind = 'project' and b.traversal_ids && array(
    select g.id from granted g where g.level >= ${sql.lit(levels.guest)})`

/** Of some projects, named by `id`, those that the reader may see, and the kinds of events that they may read there. */
function places(reader: FeedReader, projects: Sql): Sql {
  const atLeast = (level: number): Bool => (reader.admin ? sql<boolean>`true` : heldAt(level))
  const member = sql<boolean>`h.member`
  const kinds = areas.map((area) => {
    const numbers = sql.lit(`{${kindsWhere((kind) => kind.area === area).join()}}`)
    return sql`case when ${openAt(area, reader)} then ${numbers}::integer[] else '{}' end`
  })
  return sql`places (id, trusted, member, kinds) as materialized (
    select p.id, h.trusted, h.member, ${sql.join(kinds, sql` || `)}
    from (${projects} offset 0) c
      cross join lateral (select p.id, p.settings, p.project_namespace_id from projects p where p.id = c.id offset 0) p
      cross join lateral (select n.id, n.kind, n.traversal_ids, n.visibility, n.deleted_at from namespaces n
        where n.id = p.project_namespace_id offset 0) n
      cross join lateral (select ${atLeast(levels.guest)} as member, ${atLeast(levels.planner)} as trusted,
        ${atLeast(levels.reporter)} as reporter offset 0) h
    where ${visibleTo('n', reader, member)})`
}

/** Whether the reader has a level at a node: the few ids of its path are looked up in a hash table. */
const heldAt = (level: number): Bool => sql<boolean>`exists (
  select 1 from unnest(n.traversal_ids) as above (id)
  where (above.id in (select g.id from granted g where g.level >= ${sql.lit(level)})) is true)`

/** Whether an area of the project `p` is open to a reader who may see the project: {@link abilities} in SQL. */
function openAt(area: Area, reader: FeedReader): Bool {
  const member = sql<boolean>`h.member`
  const feature = (name: Parameters<typeof projectFeatureOpenAt>[0]) =>
    projectFeatureOpenAt(name, 'p.settings', 'n', reader, member)
  const code = () => codeReadableAt('p.settings', 'n', reader, { member, reporter: sql<boolean>`h.reporter` })
  switch (area) {
    case 'project':
      return sql<boolean>`true`
    case 'code':
      return code()
    case 'merge_requests':
      return sql<boolean>`(${feature('merge_requests')} and ${code()})`
    case 'milestones':
      return sql<boolean>`(${sql.join(planningFeatures.map(feature), sql` or `)})`
    case 'issues':
    case 'snippets':
    case 'wiki':
      return feature(area)
  }
}

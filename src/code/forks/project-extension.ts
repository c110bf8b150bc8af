import { sql } from 'kysely'
import { Type } from 'typebox'
import type { SqlViewer } from '#platform/access/viewer.ts'
import { codeReadableAt } from '#code/repositories/abilities.ts'
import { visibleTo } from '#platform/access/visible.ts'
import type { ForkState } from '#platform/db/schema.ts'
import { invalid } from '#platform/refusals.ts'
import { avatarOfNamespace } from '#identity/namespaces/entity.ts'
import type { Audience } from '#tenancy/projects/audience.ts'
import type { ProjectExtension } from '#tenancy/projects/extension-points.ts'
import { ProjectSimple, type ProjectSimpleFields } from '#tenancy/projects/fields.ts'
import { simple, type SimpleRow } from '#tenancy/projects/present-projects.ts'
import { topicNames } from '#tenancy/topics/queries.ts'

interface SourceFields {
  readonly default_branch: string | null
  /** Whether the viewer may read its code. */
  readonly reads_code: boolean
  readonly forks: number
}

/** What presenting a fork needs. */
export interface ForkColumn {
  readonly state: ForkState
  /** The project that it comes from; null for viewers who may not see that. */
  readonly source: (SimpleRow & SourceFields) | null
}

declare module '#tenancy/projects/extension-points.ts' {
  interface ExtensionColumns {
    readonly fork: ForkColumn | null
    readonly forks: number
  }
  interface ExtensionFields {
    readonly forked_from_project?: ProjectSimpleFields
  }
}

const countOf = (project: string) =>
  sql<number>`(select count(*) from project_forks f where f.source_id = ${sql.ref(`${project}.id`)})`

/** The source of a fork with everything that everybody sees of it. */
const sourceFor = (viewer: SqlViewer) => sql`(
  select json_build_object('id', s.id, 'description', sn.description, 'name', sn.name, 'full_name', sn.full_name,
      'path', sn.path, 'full_path', sn.full_path, 'created_at', sn.created_at, 'topics', ${topicNames('s')},
      'avatar', sn.avatar, 'star_count', s.star_count, 'last_activity_at', s.last_activity_at,
      'visibility', sn.visibility, 'forks', ${countOf('s')}, 'reads_code', ${codeReadableAt('s.settings', 'sn', viewer)},
      'default_branch', coalesce(r.default_branch, s.settings ->> 'default_branch'),
      'parent', (select json_build_object('id', a.id, 'name', a.name, 'path', a.path, 'kind', a.kind,
          'full_path', a.full_path, 'parent_id', a.parent_id, 'owner_id', a.owner_id,
          'avatar', ${avatarOfNamespace('a')})
        from namespaces a where a.id = sn.parent_id))
    from projects s join namespaces sn on sn.id = s.project_namespace_id
      left join repositories r on r.project_id = s.id and r.kind = 'project'
    where s.id = o.source_id and ${visibleTo('sn', viewer)})`

/** What forks add to projects. */
export const forksOfProjects: ProjectExtension = {
  fields: { forked_from_project: Type.Optional(ProjectSimple) },
  columns: (viewer) => [
    sql<ForkColumn | null>`(
      select json_build_object('state', o.state, 'source', ${sourceFor(viewer)})
      from project_forks o where o.project_id = p.id)`.as('fork'),
    countOf('p').as('forks'),
  ],
  present: ({ fork }, audience) =>
    fork === null
      ? {}
      : {
          import_status: fork.state,
          ...(fork.source !== null && { forked_from_project: presentSource(fork.source, audience) }),
        },
  async afterChange(tx, { id }) {
    const { rows } = await sql<{ visibility: string; source: string }>`
      select n.visibility, sn.visibility as source
      from project_forks o join projects p on p.id = o.project_id join namespaces n on n.id = p.project_namespace_id
        join projects s on s.id = o.source_id join namespaces sn on sn.id = s.project_namespace_id
      where o.project_id = ${id} and n.visibility > sn.visibility`.execute(tx.db)
    const [found] = rows
    if (found === undefined) return
    throw invalid({
      visibility_level: [`${found.visibility} is not allowed since the source is ${found.source}`],
    })
  },
  presentSimple: ({ forks }) => ({ forks_count: forks }),
}

function presentSource(source: NonNullable<ForkColumn['source']>, audience: Audience): ProjectSimpleFields {
  const { default_branch, reads_code, forks, ...row } = source
  return {
    ...simple(row, audience),
    default_branch: reads_code ? (default_branch ?? audience.defaultBranch) : null,
    forks_count: forks,
  }
}

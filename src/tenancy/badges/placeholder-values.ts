import { type RawBuilder, sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { BadgeContainer } from './entity.ts'
import { type ValuesByPlaceholder, placeholderValues } from './extension-points.ts'
import type { PlaceholderValues } from './placeholders.ts'

interface Asking {
  readonly viewer: Viewer
  /** Where the web pages live. */
  readonly site: string
}

/**
 * The values of all placeholders for a project. Those for a group are of the first project that was created in it and
 * that the viewer may see. One statement, however many badges there are.
 * @returns undefined for a group without such a project.
 */
export async function findPlaceholderValues(
  db: Db,
  { kind, id }: Pick<BadgeContainer, 'kind' | 'id'>,
  { viewer, site }: Asking,
): Promise<PlaceholderValues | undefined> {
  const project = await db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .innerJoin('namespaces as parent', 'parent.id', 'n.parent_id')
    .innerJoin('namespaces as top', (join) => join.on('top.id', '=', sql`n.traversal_ids[1]`))
    .select(['p.id', 'n.name', 'n.path', 'n.full_path', 'parent.full_path as namespace'])
    .select((eb) => eb.case().when('top.kind', '=', 'group').then(eb.ref('top.name')).end().as('top_group'))
    .select(foundValues(viewer).as('found'))
    .where('n.id', '=', kind === 'project' ? nodeOf(id) : firstNodeIn(id, viewer))
    .executeTakeFirst()
  if (project === undefined) return undefined
  const found = project.found.reduce<ValuesByPlaceholder>((all, values) => ({ ...all, ...values }), {})
  return {
    project_path: project.full_path,
    project_title: project.name,
    project_name: project.path,
    project_id: String(project.id),
    project_namespace: project.namespace,
    group_name: project.top_group ?? '',
    service_server: new URL(site).hostname,
    service_pages_domain: found.service_pages_domain ?? '',
    default_branch: found.default_branch ?? '',
    commit_sha: found.commit_sha ?? '',
    latest_tag: found.latest_tag ?? '',
  }
}

const nodeOf = (projectId: number): RawBuilder<number> =>
  sql`(select project_namespace_id from projects where id = ${projectId})`

/** Ordered by a sum, so that PostgreSQL reads what is in the group, and not all namespaces in the order of their ids. */
const firstNodeIn = (groupId: number, viewer: Viewer): RawBuilder<number> =>
  sql`(select c.id from namespaces c where c.parent_id = ${groupId} and c.kind = 'project' and ${visibleTo('c', viewer)}
    order by c.id + 0 limit 1)`

const foundValues = (viewer: Viewer): RawBuilder<readonly (ValuesByPlaceholder | null)[]> =>
  sql`json_build_array(${sql.join(placeholderValues.entries.map((find) => find(viewer)))})`

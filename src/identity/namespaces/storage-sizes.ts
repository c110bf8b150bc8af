import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { integer } from '#platform/http/schema.ts'

/** The storage used by groups and projects, in bytes, by kind. */
export const StorageSizes = {
  storage_size: integer(),
  repository_size: integer(),
  wiki_size: integer(),
  lfs_objects_size: integer(),
  job_artifacts_size: integer(),
  pipeline_artifacts_size: integer(),
  packages_size: integer(),
  snippets_size: integer(),
  uploads_size: integer(),
}

export type Sizes = { readonly [Kind in keyof typeof StorageSizes]: number }

/** Zero for every kind. Repositories, LFS objects, artifacts of jobs, packages and uploads alone are stored yet. */
export const nothingStored: Sizes = {
  storage_size: 0,
  repository_size: 0,
  wiki_size: 0,
  lfs_objects_size: 0,
  job_artifacts_size: 0,
  pipeline_artifacts_size: 0,
  packages_size: 0,
  snippets_size: 0,
  uploads_size: 0,
}

/** What repositories take in each of these groups, at any depth. One statement. */
export async function sizesIn(db: Db | Tx['db'], ids: readonly number[]): Promise<Map<number, Sizes>> {
  if (ids.length === 0) return new Map()
  type Row = Pick<
    Sizes,
    | 'repository_size'
    | 'wiki_size'
    | 'snippets_size'
    | 'lfs_objects_size'
    | 'job_artifacts_size'
    | 'packages_size'
    | 'uploads_size'
  > & {
    id: number
  }
  const { rows } = await sql<Row>`
    select n.id, coalesce(sum(r.size) filter (where r.kind = 'project'), 0)::bigint as repository_size,
      coalesce(sum(r.size) filter (where r.kind in ('wiki', 'group_wiki')), 0)::bigint as wiki_size,
      coalesce(sum(r.size) filter (where r.kind = 'snippet'), 0)::bigint as snippets_size,
      coalesce(sum(r.size) filter (where r.kind = 'lfs'), 0)::bigint as lfs_objects_size,
      coalesce(sum(r.size) filter (where r.kind = 'artifacts'), 0)::bigint as job_artifacts_size,
      coalesce(sum(r.size) filter (where r.kind = 'packages'), 0)::bigint as packages_size,
      coalesce(sum(r.size) filter (where r.kind = 'uploads'), 0)::bigint as uploads_size
    from namespaces n
      left join namespaces b on b.traversal_ids @> array[n.id] and b.deleted_at is null
      left join projects p on p.project_namespace_id = b.id
      left join lateral (
        select o.kind::text, o.size from repositories o where o.project_id = p.id
        union all select 'lfs', o.size from lfs_sizes o where o.project_id = p.id
        union all select 'artifacts', o.size from ci_artifact_sizes o where o.project_id = p.id
        union all select 'packages', o.size from package_sizes o where o.project_id = p.id
        union all select 'uploads', o.size from upload_sizes o where o.namespace_id = b.id
        union all select o.kind::text, o.size from repositories o where o.group_id = b.id
        union all select o.kind::text, o.size from snippets s join repositories o on o.snippet_id = s.id
          where s.project_id = p.id) as r on true
    where n.id = any(${[...ids]}::bigint[]) group by n.id`.execute(db)
  return new Map(
    rows.map(({ id, ...sizes }) => {
      const storage_size =
        sizes.repository_size +
        sizes.wiki_size +
        sizes.snippets_size +
        sizes.lfs_objects_size +
        sizes.job_artifacts_size +
        sizes.packages_size +
        sizes.uploads_size
      return [id, { ...nothingStored, ...sizes, storage_size }]
    }),
  )
}

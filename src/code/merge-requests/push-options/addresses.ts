import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { projectRule } from '#platform/access/abilities.ts'
import { completed, type StoredSettings } from '#tenancy/projects/project-settings.ts'
import type { AfterPush, FinishedPush } from '#code/git-transport/after-push.ts'
import { mergeRequestVisibleTo } from '../visible.ts'
import { pushedBranches } from './pushed-branches.ts'

/** The most branches of a push whose addresses are told. */
const MOST = 10

/** Tells where the merge request of each branch is, or where to open one. */
export const showAddresses: AfterPush = async (push) => {
  const { services, access } = push
  const { owner, accessContext, site } = access
  const branches = pushedBranches(push)
  if (owner.kind !== 'project' || branches.length === 0) return []
  const project = await projectAt(services.db, owner.project)
  if (project === undefined || !completed(project.settings).printing_merge_request_link_enabled) return []
  const shown = branches.filter((branch) => branch !== project.default_branch).slice(0, MOST)
  const known = shown.length === 0 ? new Map() : await openOnes(push, owner.project, shown)
  const mayCreate = access.person === undefined || projectRule('create_merge_request')(accessContext)
  return shown.flatMap((branch) => {
    const address = known.get(branch)
    if (address !== undefined) return remark(`View merge request for ${branch}:`, address)
    if (!mayCreate) return []
    const query = `merge_request%5Bsource_branch%5D=${encodeURIComponent(branch)}`
    return remark(
      `To create a merge request for ${branch}, visit:`,
      `${site}/${project.full_path}/-/merge_requests/new?${query}`,
    )
  })
}

const remark = (what: string, address: string): readonly string[] => ['', what, `  ${address}`, '']

const projectAt = (db: Db, id: number) =>
  db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .innerJoin('repositories as r', (on) =>
      on.onRef('r.project_id', '=', 'p.id').on('r.kind', '=', 'project'),
    )
    .select(['n.full_path', 'r.default_branch', sql<StoredSettings>`p.settings`.as('settings')])
    .where('p.id', '=', id)
    .executeTakeFirst()

/** The addresses of the open merge requests of branches that the person may see, by the branch; of several the newest. */
async function openOnes(
  { services: { db }, access }: FinishedPush,
  source: number,
  branches: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const viewer = access.person?.viewer
  // A key or a token of no person knows its own project.
  const knowsItsOwn = projectRule('read_merge_request')(access.accessContext)
  const visible =
    viewer === undefined
      ? sql<boolean>`(${knowsItsOwn}::boolean and mr.project_id = ${source})`
      : mergeRequestVisibleTo(viewer)
  const rows = await db
    .selectFrom('merge_requests as mr')
    .innerJoin('projects as p', 'p.id', 'mr.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select(['mr.iid', 'mr.source_branch', 'n.full_path'])
    .where('mr.source_project_id', '=', source)
    .where(sql<boolean>`mr.source_branch = any(${[...branches]}::text[])`)
    .where('mr.state', '=', 'opened')
    .where(visible)
    .orderBy('mr.id')
    .limit(MOST * MOST)
    .execute()
  return new Map(
    rows.map((row) => [row.source_branch, `${access.site}/${row.full_path}/-/merge_requests/${row.iid}`]),
  )
}

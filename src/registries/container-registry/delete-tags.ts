import { Type } from 'typebox'
import { ClientPattern, filterInSlices } from '#platform/client-pattern.ts'
import type { Db } from '#platform/db/pool.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { deleteTag } from './delete-tag.ts'
import { whole } from './expressions.ts'
import { TagRules } from './protection.ts'

/** Which tags of a repository are deleted. */
export interface TagSelection {
  /** Names that match as a whole. */
  readonly name_regex_delete: string
  readonly name_regex_keep?: string
  /** How many of the newest of them stay. */
  readonly keep_n?: number
  /** In seconds. */
  readonly older_than?: number
}

/** Tags that are read at once, and deleted in a transaction. */
const READ = 5_000
const AT_ONCE = 200
/** Milliseconds that matching names may take in all. */
const MOST_TIME = 60_000

/** Deletes the tags of a repository that match. */
export const deleteTags = defineTask(
  'container-registry/delete-tags',
  'long',
  Type.Object({
    repository_id: Type.Integer(),
    name_regex_delete: Type.String(),
    name_regex_keep: Type.Optional(Type.String()),
    keep_n: Type.Optional(Type.Integer()),
    older_than: Type.Optional(Type.Integer()),
  }),
  async ({ repository_id, ...selection }, job) => cleanUpRepository(job, repository_id, selection),
)

/** Deletes what a selection chooses. Tags that get another manifest meanwhile stay. */
export async function cleanUpRepository(job: JobContext, id: number, selection: TagSelection): Promise<void> {
  await withLease(job, `delete tags of container repository ${id}`, async (lease) => {
    const repository = await job.db
      .selectFrom('container_repositories as r')
      .innerJoin('projects as p', 'p.id', 'r.project_id')
      .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
      .select(['r.name as rest', 'p.id as project_id', 'n.id as namespace_id', 'n.full_path'])
      .where('r.id', '=', id)
      .where('r.status', 'is', null)
      .where('n.deleted_at', 'is', null)
      .executeTakeFirst()
    if (repository === undefined) return
    const { project_id, namespace_id, full_path, rest } = repository
    const rules = await TagRules.of(job.db, project_id)
    const chosen = await choose(job.db, id, selection, { rules, now: job.clock.now() })
    const place = { project: { id: project_id, namespace_id, full_path }, rest }
    for (let at = 0; at < chosen.length; at += AT_ONCE) {
      lease.signal.throwIfAborted()
      const some = chosen.slice(at, at + AT_ONCE)
      await job.transact(async (tx) => {
        await lease.guard(tx)
        for (const { name, manifest_id } of some) await deleteTag(tx, place, id, name, manifest_id)
      })
    }
  })
}

interface Tag {
  readonly name: string
  readonly manifest_id: number
  readonly updated_at: string
}

interface Circumstances {
  readonly rules: Pick<TagRules, 'isProtected'>
  readonly now: Date
}

/** The tags that a selection deletes: `latest` and protected ones never. */
export async function choose(
  db: Db,
  id: number,
  { name_regex_delete, name_regex_keep, keep_n = 0, older_than = 0 }: TagSelection,
  { rules, now }: Circumstances,
): Promise<Tag[]> {
  const wanted = new ClientPattern(whole(name_regex_delete))
  const kept =
    name_regex_keep === undefined || name_regex_keep === ''
      ? undefined
      : new ClientPattern(whole(name_regex_keep))
  const matching: Tag[] = []
  for (let after = ''; ;) {
    const some = await db
      .selectFrom('container_tags')
      .select(['name', 'manifest_id', 'updated_at'])
      .where('repository_id', '=', id)
      .where('name', '>', after)
      .orderBy('name')
      .limit(READ)
      .execute()
    const found = await filterInSlices(
      some,
      ({ name }) =>
        name !== 'latest' && wanted.finds(name) && !rules.isProtected(name) && kept?.finds(name) !== true,
      MOST_TIME,
    )
    for (const tag of found) matching.push(tag)
    const last = some.at(-1)
    if (last === undefined || some.length < READ) break
    after = last.name
  }
  const newest = matching.toSorted((one, other) => Date.parse(other.updated_at) - Date.parse(one.updated_at))
  const until = now.getTime() - older_than * 1_000
  return newest.slice(keep_n).filter(({ updated_at }) => older_than === 0 || Date.parse(updated_at) < until)
}

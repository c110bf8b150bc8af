import { sql } from 'kysely'
import { Type } from 'typebox'
import { logIds } from '#code/git/history.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import type { Repository } from '#code/git/repository.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'

/** Finds the merge requests that came to an environment with a deployment, and keeps them. */
export const linkMergeRequests = defineTask(
  'deployments/link-merge-requests',
  'short',
  Type.Object({ deployment_id: Type.Integer() }),
  ({ deployment_id }, job) => link(deployment_id, job),
)

/** Of so many new commits, the newest are looked at. */
const MOST_COMMITS = 20_000

interface Succeeded {
  readonly id: number
  readonly project_id: number
  readonly sha: string
  readonly ref: string
  /** What was there before. */
  readonly before: string | null
}

async function link(id: number, job: JobContext): Promise<void> {
  const { rows } = await sql<Succeeded>`
    select d.id, d.project_id, d.sha, d.ref, (
      select p.sha from deployments p where p.environment_id = d.environment_id and p.status = 'success' and p.id < d.id
        order by p.id desc limit 1) as before
    from deployments d where d.id = ${id} and d.status = 'success'`.execute(job.db)
  const [deployment] = rows
  if (deployment === undefined) return
  const { before } = deployment
  if (before === null) return keepAll(job, deployment)
  const repository = await job.repositories.ofProject(deployment.project_id)
  const commits = repository && (await commitsBetween(repository, before, deployment.sha))
  if (commits !== undefined) await keep(job, deployment, commits)
}

/** The commits that `after` has and `before` has not. Undefined once one of them is gone, as after a forced push. */
async function commitsBetween(
  repository: Repository,
  before: string,
  after: string,
): Promise<readonly string[] | undefined> {
  const known = await Promise.all([before, after].map((id) => resolveCommit(repository, id)))
  if (known.includes(undefined)) return undefined
  return logIds(repository, { from: [after], not: [before] }, { skip: 0, limit: MOST_COMMITS })
}

/** Where nothing was before, everything that was merged into the branch came with the deployment. */
async function keepAll({ db }: JobContext, { id, project_id, ref }: Succeeded): Promise<void> {
  await sql`
    insert into deployment_merge_requests (deployment_id, merge_request_id)
    select ${id}, m.id from merge_requests m
      where m.project_id = ${project_id} and m.state = 'merged' and m.target_branch = ${ref}
    on conflict do nothing`.execute(db)
}

/** Those whose merge made one of the commits or, where branches are only moved forward, whose last commit is one. */
async function keep(
  { db }: JobContext,
  { id, project_id }: Succeeded,
  commits: readonly string[],
): Promise<void> {
  await sql`
    insert into deployment_merge_requests (deployment_id, merge_request_id)
    select ${id}, m.id from merge_requests m
      where m.project_id = ${project_id} and m.state = 'merged'
        and (m.merge_commit_sha = any(${commits}::text[]) or m.squash_commit_sha = any(${commits}::text[])
          or m.head_sha = any(${commits}::text[]))
    on conflict do nothing`.execute(db)
}

import { sql } from 'kysely'
import type { GitAttempt, GitCredentials } from '#code/git-http/authorize-git.ts'
import type { GitAccess } from '#code/git-transport/access.ts'
import { authorizeRepository } from '#code/git-transport/authorize-repository.ts'
import type { PushedOptions } from '#code/repositories/push-options.ts'
import { JOB_TOKEN_PREFIX, JOB_USERNAME } from '#platform/access/credentials.ts'
import type { Db } from '#platform/db/pool.ts'
import { NotAllowed, notFound } from '#platform/refusals.ts'
import { identifyJob } from './identify-job.ts'

const NO_PUSHING =
  'Job tokens cannot push to this project: its maintainers would have to allow it (ci_push_repository_for_job_token_allowed).'
const NOT_THE_OWN = 'Job tokens push only to the project of their job.'

/** A push by a job makes no pipelines with jobs, so that no job can start itself for ever. */
const SKIPPING: PushedOptions = { ci: { skip: true } }

/** Jobs read the repositories of their project and of those that let them in, and push to their own where it says so. */
export const jobTokensForGit: GitCredentials = {
  async authorize({
    request,
    username,
    password,
    path,
    service,
  }: GitAttempt): Promise<GitAccess | undefined> {
    if (username !== JOB_USERNAME || !password.startsWith(JOB_TOKEN_PREFIX)) return undefined
    const { user, job } = await identifyJob(request, password)
    const { viewer, site, ip, id: requestId, server } = request
    const caller = { services: server.services, user, viewer, site, by: { author: user, ip, requestId } }
    const found = await authorizeRepository(caller, path, service)
    const { owner } = found
    // What belongs to people, such as their snippets, is no project's to let jobs in.
    if (owner.kind === 'snippet') throw notFound('Project')
    if (service === 'git-upload-pack') return found
    if (owner.kind !== 'project' || owner.project !== job.projectId) throw new NotAllowed(NOT_THE_OWN)
    if (!(await letsJobsPush(server.db, owner.project))) throw new NotAllowed(NO_PUSHING)
    return { ...found, options: SKIPPING }
  },
}

async function letsJobsPush(db: Db, projectId: number): Promise<boolean> {
  const { may } = await db
    .selectFrom('projects')
    .select(
      sql<boolean>`coalesce(settings ->> 'ci_push_repository_for_job_token_allowed', 'false') = 'true'`.as(
        'may',
      ),
    )
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow(() => notFound('Project'))
  return may
}

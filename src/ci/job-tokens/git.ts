import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { GitAttempt, GitCredentials } from '#code/git-http/authorize-git.ts'
import type { GitAccess } from '#code/git-transport/access.ts'
import { authorizeRepository } from '#code/git-transport/authorize-repository.ts'
import type { PushedOptions } from '#code/repositories/push-options.ts'
import { authenticate } from '#platform/access/authentication.ts'
import { JOB_TOKEN_PREFIX, JOB_USERNAME } from '#platform/access/credentials.ts'
import { digestOf } from '#platform/access/digest.ts'
import type { Identity } from '#platform/access/identity.ts'
import { anyone, type RouteAccess } from '#platform/access/route-access.ts'
import type { Db } from '#platform/db/pool.ts'
import { policyOf } from '#platform/http/browser-sessions.ts'
import { NotAllowed, notFound, Unidentified } from '#platform/refusals.ts'

const UNKNOWN = 'This job token is unknown, or its job has ended.'
const NO_PUSHING =
  'Job tokens cannot push to this project: its maintainers would have to allow it (ci_push_repository_for_job_token_allowed).'
const NOT_THE_OWN = 'Job tokens push only to the project of their job.'

const access: RouteAccess = {
  subject: anyone,
  scopes: [],
  anonymous: false,
  tier: undefined,
  jobToken: true,
}

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
    const { user, job } = await identify(request, password)
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

type OfJob = Identity & { readonly job: NonNullable<Identity['job']> }

/** @throws 401 for unknown tokens, and those of jobs that have ended; 403 for people who are blocked */
async function identify(request: FastifyRequest, token: string): Promise<OfJob> {
  const { services } = request.server
  const digest = digestOf(token)
  const identity = await services.failedAuthentications
    .watch(request.ip, digest, () =>
      authenticate(services.db, { kind: 'job token', digest }, access, policyOf(services)),
    )
    .catch((error: unknown) => {
      throw error instanceof Unidentified ? new Unidentified(UNKNOWN) : error
    })
  if (identity?.job === undefined) throw new Unidentified(UNKNOWN)
  request.identity = identity
  request.recognized = true
  return { ...identity, job: identity.job }
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

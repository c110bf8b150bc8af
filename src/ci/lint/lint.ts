import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { Commit } from '#code/git/commit.ts'
import { BRANCHES, NO_OBJECT } from '#code/git/names.ts'
import { readCommit } from '#code/git/objects.ts'
import { resolve, resolveCommit } from '#code/git/resolve.ts'
import { protecting } from '#code/protected-references/may.ts'
import { protectionsOf } from '#code/protected-references/rows.ts'
import { requestedRepository } from '#code/repositories/requested.ts'
import { notFound } from '#platform/refusals.ts'
import { readPipelineProject } from '../pipelines/pipeline-project.ts'
import { readFor } from '../pipelines/prepare-pipeline.ts'
import { type CiLint, presentLint } from './entity.ts'

interface Asked {
  /** Undefined: that of the project at `at`. */
  readonly content: string | undefined
  /** Where files of the project are read; undefined for the default branch. */
  readonly at: string | undefined
  /** The branch or tag of the imagined pipeline; undefined for that. */
  readonly ref: string | undefined
  readonly dryRun: boolean
  readonly withJobs: boolean
}

/** Reads a configuration as a pipeline of the caller would. @throws 404 for a reference that is not there */
export async function lint(
  req: FastifyRequest,
  { content, at, ref, dryRun, withJobs }: Asked,
): Promise<Static<typeof CiLint>> {
  const { services } = req.server
  const { id } = req.project().container
  const user = req.user()
  const repository = await requestedRepository(req)
  const name = at ?? ref ?? repository?.row.default_branch ?? undefined
  const sha = repository && name !== undefined ? await resolveCommit(repository, name) : undefined
  if (name !== undefined && sha === undefined && (at !== undefined || ref !== undefined))
    throw notFound('Reference')
  const commit = repository && sha !== undefined ? await readCommit(repository, sha) : undefined
  const branch = ref ?? name ?? 'main'
  const isTag =
    repository !== undefined &&
    (await resolve(repository, branch, 'heads')) === undefined &&
    (await resolve(repository, branch, 'tags')) !== undefined
  const query = {
    projectId: id,
    kind: isTag ? 'tag' : 'branch',
    userId: user.id,
    today: req.viewer.today,
  } as const
  const protections = await protectionsOf(services.db, query)
  const account = await services.db
    .selectFrom('users')
    .select(['id', 'name', 'username', 'email'])
    .where('id', '=', user.id)
    .executeTakeFirstOrThrow()
  const read = await readFor(
    services,
    {
      wanted: {
        projectId: id,
        ref: BRANCHES + branch,
        source: 'push',
        userId: user.id,
        ...(content !== undefined && { content }),
      },
      project: await readPipelineProject(services.db, id),
      commit: commit ?? NO_COMMIT,
      isTag,
      isProtected: protecting(protections, branch).length > 0,
      before: NO_OBJECT,
      repository: commit === undefined ? undefined : repository,
      name: branch,
      user: account,
      mergeRequest: undefined,
      compareTo: null,
    },
    true,
  )
  return presentLint(read, { dryRun, withJobs })
}

const nobody = { name: '', email: '', at: '', time: 0 }
/** Stands for the commit of a repository without any. */
const NO_COMMIT: Commit = {
  id: NO_OBJECT,
  tree: '',
  parents: [],
  author: nobody,
  committer: nobody,
  message: '',
  isCut: false,
  title: '',
  signature: undefined,
  signed: undefined,
}

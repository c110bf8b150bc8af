import { readCommit } from '#code/git/objects.ts'
import type { Commit } from '#code/git/commit.ts'
import { branchOf, NO_OBJECT, tagOf } from '#code/git/names.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { authorizeIfAllowed, viewerOfUser } from '#platform/access/act-for.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import { knownTexts } from '#platform/known-texts.ts'
import { invalid } from '#platform/refusals.ts'
import type { ScopedValue } from '../config/expand.ts'
import type { PipelineToRead, ReadPipeline } from '../config/pipeline-reading.ts'
import { readPipeline } from '../config/read-pipeline.ts'
import { variablesForJobs } from '../variables/for-jobs.ts'
import { mayNotRunOn, rightsToRun } from './rights-to-run.ts'
import { givesVariables, mayGiveVariables } from './may-give-variables.ts'
import { circumstancesOf } from './circumstances.ts'
import { mergeRequestOf } from './merge-request-of.ts'
import type { NewPipeline } from './new-pipeline.ts'
import { type PipelineProject, readPipelineProject } from './pipeline-project.ts'
import {
  type DescribedMergeRequest,
  type DescribedPipeline,
  predefinedVariables,
} from './predefined-variables.ts'

/** A pipeline that only has to be written. */
export interface PreparedPipeline {
  readonly wanted: NewPipeline
  readonly project: PipelineProject
  readonly commit: Commit
  /** As pipelines show it: `main`, or `refs/merge-requests/1/head`. */
  readonly ref: string
  readonly isTag: boolean
  readonly isProtected: boolean
  readonly before: string
  readonly author: { readonly id: number; readonly username: string }
  /** Undefined where the message or the push says that nothing shall run. */
  readonly read: ReadPipeline | undefined
}

const base = (text: string) => invalid({ base: [text] })

/** Sources of which a commit's message may say that nothing shall run. */
const skippable = new Set(['push', 'merge_request_event'])
const SKIP = /\[(?:ci[ _-]skip|skip[ _-]ci)\]/i

/**
 * Reads the configuration that a pipeline is made of, with the rights of the person who wants it.
 * @throws 400 `{base: […]}` for a reference that is not there, and where the person may not run pipelines for it or not
 * give them variables
 */
export async function preparePipeline(
  services: JobServices,
  asked: NewPipeline,
  { skips = false }: { readonly skips?: boolean } = {},
): Promise<PreparedPipeline> {
  const { db, repositories, clock } = services
  const project = await readPipelineProject(db, asked.projectId)
  const viewer = await viewerOfUser({ db, clock }, asked.userId, null)
  const authorized = viewer && (await authorizeIfAllowed(db, viewer, project.id, 'create_pipeline'))
  if (viewer === undefined || authorized === undefined)
    throw base('Insufficient permissions to create a new pipeline')
  const mayGive = mayGiveVariables(authorized)
  if (givesVariables(asked) && !mayGive) throw base(knownTexts['may-not-give-variables'])
  const wanted = mayGive ? withPayload(asked) : asked
  const repository = await repositories.ofProject(project.id)
  const mergeRequest =
    wanted.mergeRequestId === undefined ? undefined : await mergeRequestOf(db, wanted.mergeRequestId)
  const sha = wanted.sha ?? (repository && (await resolveCommit(repository, wanted.ref)))
  const commit = repository && sha !== undefined ? await readCommit(repository, sha) : undefined
  if (repository === undefined || commit === undefined) throw base('Reference not found')

  const tag = tagOf(wanted.ref)
  const name = tag ?? branchOf(wanted.ref) ?? wanted.ref
  const caller = { authorized, viewer }
  const { mayRun, isProtected: protects } = await rightsToRun(db, caller, name, tag !== undefined)
  if (wanted.source !== 'push' && !mayRun) throw mayNotRunOn(name)

  const user = await db
    .selectFrom('users')
    .select(['id', 'username', 'name', 'email'])
    .where('id', '=', wanted.userId)
    .executeTakeFirstOrThrow()
  const isProtected = protects && mergeRequest === undefined
  const ref = mergeRequest === undefined ? name : `refs/merge-requests/${mergeRequest.iid}/head`
  const before = wanted.before ?? NO_OBJECT
  const prepared = {
    wanted,
    project,
    commit,
    ref,
    isTag: tag !== undefined,
    isProtected,
    before,
    author: { id: user.id, username: user.username },
  }
  const isSkipped = skips || (skippable.has(wanted.source) && SKIP.test(commit.message))
  if (isSkipped) return { ...prepared, read: undefined }
  const read = await readFor(services, {
    ...prepared,
    repository,
    name: mergeRequest === undefined ? name : mergeRequest.source_branch,
    user,
    mergeRequest,
    compareTo: compareTo(wanted, mergeRequest),
  })
  return { ...prepared, read }
}

const withPayload = ({ payload, variables = [], ...wanted }: NewPipeline): NewPipeline => ({
  ...wanted,
  variables: payload === undefined ? variables : [...variables, payload],
})

/** What `changes` compares with: nothing where there is no commit before. */
function compareTo(
  { source, before, ref }: NewPipeline,
  mergeRequest: DescribedMergeRequest | undefined,
): string | null {
  if (mergeRequest !== undefined) return mergeRequest.base_sha
  if (source !== 'push' || before === undefined || before === NO_OBJECT) return null
  return tagOf(ref) === undefined ? before : null
}

/** A pipeline that there may be, as far as reading its configuration needs it. */
interface Imagined extends Pick<
  PreparedPipeline,
  'wanted' | 'project' | 'commit' | 'isTag' | 'isProtected' | 'before'
> {
  readonly repository: StoredRepository | undefined
  /** The branch or tag without a prefix. */
  readonly name: string
  readonly user: DescribedPipeline['user']
  readonly mergeRequest: DescribedMergeRequest | undefined
  readonly compareTo: string | null
}

/**
 * Reads the configuration for a pipeline with all variables that conditions may ask for.
 * @param shows whether somebody wants to see all of it
 */
export async function readFor(
  services: JobServices,
  {
    wanted,
    project,
    commit,
    isTag,
    isProtected,
    before,
    repository,
    name,
    user,
    mergeRequest,
    compareTo,
  }: Imagined,
  shows = false,
): Promise<ReadPipeline> {
  const kept = await variablesForJobs(services, {
    traversalIds: project.traversal_ids,
    protected: isProtected,
  })
  const predefined = predefinedVariables({
    site: services.site(),
    project,
    defaultBranch: repository?.row.default_branch ?? null,
    commit,
    before,
    ref: name,
    isTag,
    isProtected,
    source: wanted.source,
    triggered: wanted.source === 'trigger',
    user,
    mergeRequest,
    ...(await circumstancesOf(
      services.db,
      { projectId: project.id, name, isTag, scheduleId: wanted.scheduleId, repository },
      services.clock.now(),
    )),
  })
  const toRead: PipelineToRead = {
    project: { id: project.id, fullPath: project.full_path, configPath: project.configPath },
    tree: repository === undefined ? null : { repository, sha: commit.id },
    userId: wanted.userId,
    ...(wanted.content !== undefined && { content: wanted.content }),
    ...(wanted.parentId !== undefined && { parentId: wanted.parentId }),
    ref: name,
    isTag,
    source: wanted.source,
    compareTo,
    predefined: scoped([...predefined].map(([key, value]) => ({ key, value, raw: true }))),
    kept: scoped(kept),
    given: scoped(wanted.variables ?? []),
    inputs: wanted.inputs ?? {},
    shows,
  }
  return readPipeline(services, toRead)
}

const scoped = (
  variables: readonly { readonly key: string; readonly value: string; readonly raw?: boolean }[],
): Map<string, ScopedValue> => new Map(variables.map(({ key, value, raw = false }) => [key, { value, raw }]))

import { Type } from 'typebox'
import { copyObjects } from '#code/git/copy-objects.ts'
import { linkObjects } from '#code/git/link-objects.ts'
import { BRANCHES, TAGS } from '#code/git/names.ts'
import { Quarantine } from '#code/git/quarantine.ts'
import { listReferences, type Reference } from '#code/git/references.ts'
import { inheritObjects } from '#code/lfs/share-objects.ts'
import { copyReferences } from '#code/repositories/copy-references.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import type { ForkState } from '#platform/db/schema.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'

/** Gives a fork the branches, tags and objects of its source. */
export const copyFork = defineTask(
  'repositories/copy-fork',
  'long',
  Type.Object({
    project_id: Type.Integer(),
    source_id: Type.Integer(),
    /** The only branch that is copied; all branches and tags without it. */
    branch: Type.Optional(Type.String()),
  }),
  (fork, job) => withLease(job, `copy fork ${fork.project_id}`, ({ signal }) => copy(fork, job, signal)),
)

/** How often it is tried before people are told that it failed. */
const TRIES = 5

interface Fork {
  readonly project_id: number
  readonly source_id: number
  readonly branch?: string
}

async function copy(fork: Fork, job: JobContext, signal: AbortSignal): Promise<void> {
  const known = await job.db
    .selectFrom('project_forks')
    .select('state')
    .where('project_id', '=', fork.project_id)
    .executeTakeFirst()
  if (known?.state === 'finished') return
  try {
    await copyFromSource(fork, job, signal)
    await job.transact((tx) => inheritObjects(tx, fork.project_id, fork.source_id))
  } catch (error) {
    if (job.attempt >= TRIES) await setState(job, fork.project_id, 'failed')
    throw error
  }
  await setState(job, fork.project_id, 'finished')
}

async function copyFromSource(
  { project_id, source_id, branch }: Fork,
  job: JobContext,
  signal: AbortSignal,
): Promise<void> {
  const repositories = job.repositories
  const source = await repositories.ofProject(source_id)
  if (source === undefined) return
  const references = await referencesOf(source, branch)
  if (references.length === 0) return
  const head = branch ?? source.row.default_branch ?? undefined
  const target = await repositories.ensure({ kind: 'project', project: project_id }, head)
  await using quarantine = await Quarantine.open(target)
  if (branch === undefined) await linkObjects(source, quarantine.objects)
  else
    await copyObjects(
      source,
      target,
      references.map(({ id }) => id),
      quarantine,
    )
  await copyReferences(repositories, target, references, quarantine, signal)
}

/** What people see of a repository; hidden references stay where they are. */
async function referencesOf(source: StoredRepository, branch: string | undefined): Promise<Reference[]> {
  const branches = await listReferences(source, BRANCHES)
  if (branch !== undefined) return branches.filter(({ name }) => name === BRANCHES + branch)
  return [...branches, ...(await listReferences(source, TAGS))]
}

async function setState(job: JobContext, projectId: number, state: ForkState): Promise<void> {
  await job.db.updateTable('project_forks').set({ state }).where('project_id', '=', projectId).execute()
}

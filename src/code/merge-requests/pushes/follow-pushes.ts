import { branchOf, NO_OBJECT } from '#code/git/names.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { COPIED, type RecordedChanges, type RecordStep } from '#code/repositories/record-changes.ts'
import { mergeOf } from '#code/repositories/merge-cause.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import { aboutMergeRequest } from '../facts-about.ts'
import { checkNow } from '../merge/check-mergeability.ts'
import { writeBranchGone } from '../suggestions/follow-suggestions.ts'
import { touchAll } from './touch-all.ts'
import { type AffectedMergeRequest, affectedBy, MAX_AFFECTED } from './affected.ts'
import { followLater, readTargets } from './follow-targets.ts'
import { lockMergeRequests } from './lock-merge-requests.ts'
import { mergedAsAsked, type MovedBranch } from './merged-by-push.ts'
import { readSource, type RefreshedMergeRequest, refreshLater, writeRefreshed } from './refresh-sources.ts'
import { writeTargetsPushed } from './write-target.ts'

const nothing = async () => {}

/** The most source branches that are compared before a push is recorded; a job compares the others. */
const MOST_SOURCES = 20

/**
 * What a push means for open merge requests: those of its branches get a new version, those into them are merged or to be checked
 * again.
 */
export const followPushes: RecordStep = {
  async prepare(recorded, repositories) {
    const { row, changes, cause, by, brought } = recorded
    if (row.kind !== 'project' || row.project_id === null || cause === COPIED) return nothing
    const moved = changes.flatMap(({ ref, before, after }): MovedBranch[] => {
      const branch = branchOf(ref)
      return branch === undefined ? [] : [{ branch, before, after, brought: brought.get(ref) }]
    })
    if (moved.length === 0) return nothing
    const merge = mergeOf(cause)
    const branches = moved.map(({ branch }) => branch)
    const affected = await affectedBy(repositories.source.db, row.project_id, branches, merge?.iid ?? 0)
    if (affected.size === 0) return nothing
    const { source = [], target = [], merging = [] } = Object.fromEntries(affected)
    const repository = {
      ...recorded.repository,
      row: { ...row, default_branch: recorded.summary.default_branch },
    }
    const asked =
      merge === undefined
        ? []
        : await Promise.all(
            merging.map((one) =>
              mergedAsAsked(repository, one, { head: merge.head, after: afterOf(moved, one) }),
            ),
          )
    const push = { projectId: row.project_id, repository, moved, by, site: recorded.site ?? '' }
    const targets = await readTargets(repositories, push, target.slice(0, MAX_AFFECTED), asked)
    const sources = await readSources(repositories, recorded, source, moved)
    return async (tx) => {
      await writeTargetsPushed(tx, targets)
      await followLater(tx, push, target)
      await writeSources(tx, sources)
    }
  },
}

const afterOf = (moved: readonly MovedBranch[], { target_branch }: AffectedMergeRequest): string =>
  moved.find(({ branch }) => branch === target_branch)?.after ?? NO_OBJECT

/** What a push means for the merge requests whose source it has changed. */
interface Sources {
  readonly refreshed: readonly RefreshedMergeRequest[]
  readonly site: string
  /** Those that a job looks at. */
  readonly later: readonly AffectedMergeRequest[]
  /** Those whose source branch came or went. */
  readonly appeared: readonly (readonly [row: AffectedMergeRequest, presence: 'deleted' | 'restored'])[]
}

async function readSources(
  repositories: Repositories,
  { row, repository, by, site }: RecordedChanges,
  rows: readonly AffectedMergeRequest[],
  moved: readonly MovedBranch[],
): Promise<Sources> {
  const changes = new Map(moved.map((change) => [change.branch, change]))
  const appeared = rows.flatMap((one): Sources['appeared'] => {
    const change = changes.get(one.source_branch)
    if (change?.after === NO_OBJECT) return [[one, 'deleted']]
    return change?.before === NO_OBJECT ? [[one, 'restored']] : []
  })
  const there = rows.filter(({ source_branch }) => changes.get(source_branch)?.after !== NO_OBJECT)
  const here = there.filter(({ project_id }) => project_id === row.project_id).slice(0, MOST_SOURCES)
  const later = there.filter((one) => !here.includes(one))
  const refreshed: RefreshedMergeRequest[] = []
  for (const one of here) {
    try {
      const found = await readSource(repositories, one, { author: by.author, ip: by.ip, site: site ?? '' })
      if (found !== undefined) refreshed.push(found)
    } catch (error) {
      // The push has happened and must be recorded, whatever its merge requests come to.
      repositories.log.warn(
        { err: error, repository: repository.folder },
        'a merge request will be compared later',
      )
      later.push(one)
    }
  }
  return { refreshed, later, appeared, site: site ?? '' }
}

async function writeSources(tx: Tx, { refreshed, later, appeared, site }: Sources): Promise<void> {
  await writeRefreshed(tx, refreshed)
  await refreshLater(tx, later, site)
  if (appeared.length === 0) return
  const known = await lockMergeRequests(
    tx,
    appeared.map(([{ id }]) => id),
  )
  const open = appeared.filter(([{ id }]) => known.get(id)?.state === 'opened')
  await touchAll(
    tx,
    open.map(([{ id }]) => id),
  )
  for (const presence of ['deleted', 'restored'] as const) {
    const ids = appeared.flatMap(([{ id }, became]) => (became === presence ? [id] : []))
    await writeBranchGone(tx, ids, presence === 'deleted')
  }
  const checked = open.filter(([{ id }]) => known.get(id)?.merge_status !== 'checking')
  await tx.db
    .updateTable('merge_requests')
    .set({ merge_status: 'checking' })
    .where(
      isAnyOf(
        'id',
        checked.map(([{ id }]) => id),
      ),
    )
    .execute()
  await checkNow(
    tx,
    checked.map(([{ id }]) => ({ id })),
  )
  for (const [row, presence] of open) {
    const details = { branch: row.source_branch, presence }
    record(tx, { ...aboutMergeRequest(row), name: 'merge request source branch changed', details })
  }
}

import { transact, type Tx, type WrittenBy } from '#platform/db/transaction.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'
import { record } from '#platform/facts/record.ts'
import { BRANCHES } from '#code/git/names.ts'
import { describeChanges } from './describe-changes.ts'
import { finishIntent, type Intent } from './intents.ts'
import { maintainLater } from './maintain.ts'
import type { PushedOptions } from './push-options.ts'
import type { Repositories } from './repositories.ts'
import type { ReferenceChange } from './rules.ts'
import type { RepositoryRow, StoredRepository } from './rows.ts'
import { headOf, type Summary, summaryAfter } from './summary.ts'

/** Changes of references that git has made, as steps of other features get them. */
export interface RecordedChanges {
  readonly repository: StoredRepository
  /** The row before these changes. */
  readonly row: RepositoryRow
  readonly summary: Summary
  readonly changes: readonly ReferenceChange[]
  /** The commits that came to branches that were there before, the latest first, by the whole name; only where they are few. */
  readonly brought: ReadonlyMap<string, readonly string[]>
  readonly cause: string
  /** By whom they are recorded. */
  readonly by: WrittenBy
  /** Where the web pages are for them; null where nobody knows. */
  readonly site: string | null
  /** What the person added to a push. */
  readonly options: PushedOptions | undefined
  /** The first branch of the repository was created with these changes. */
  readonly isFirst: boolean
}

/**
 * A step of another feature in the transaction that records changes of references, also when a later process records them for one that
 * died. `prepare` asks git, outside of the transaction, and returns the function that writes.
 */
export interface RecordStep {
  prepare(recorded: RecordedChanges, repositories: Repositories): Promise<(tx: Tx) => Promise<void>>
  /** A repository that was made before its project, with a default branch, gets it: in the project's transaction. */
  adopt?(tx: Tx, adopted: { readonly projectId: number; readonly row: RepositoryRow }): Promise<void>
}

export const recordSteps = new ExtensionPoint<RecordStep>('the list of steps after changes of references')

/** The cause of changes that copy references from another repository. Nobody is told of them as of a push. */
export const COPIED = 'copied'

/** Somebody else has recorded changes of the repository since its row was read. */
class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

/**
 * Records changes that git has made: writes their fact, and updates the row of the repository. This is one transaction, and it does
 * nothing when the changes were recorded before.
 */
export async function recordChanges(
  repositories: Repositories,
  repository: StoredRepository,
  intent: Intent,
  changes: readonly ReferenceChange[],
): Promise<void> {
  for (;;) {
    const row = await repositories.reload(repository.row)
    // The project was deleted meanwhile, and its repository goes with it.
    if (row === undefined) return
    try {
      await recordOnce(repositories, { ...repository, row }, intent, changes)
      return
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error
    }
  }
}

async function recordOnce(
  repositories: Repositories,
  repository: StoredRepository,
  intent: Intent,
  changes: readonly ReferenceChange[],
): Promise<void> {
  const { row } = repository
  const limit = repositories.settings().push_event_activities_limit
  const { pushed, growth, brought } = await describeChanges(repository, changes, {
    limit,
    defaultBranch: row.default_branch,
  })
  const summary = await summaryAfter(repository, row, changes, growth)
  if (summary.default_branch !== null && (await headOf(repository)) !== summary.default_branch) {
    await pointHead(repository, summary.default_branch)
  }
  const isFirst = row.branch_count === 0 && summary.branch_count > 0
  const { cause, by, site = null, options } = intent
  const recorded = { repository, row, summary, changes, brought, cause, by, site, options, isFirst }
  const steps: ((tx: Tx) => Promise<void>)[] = []
  for (const step of recordSteps.entries) steps.push(await step.prepare(recorded, repositories))
  const place = await projectOf(repositories, row)
  await transact(repositories.source, intent.by, async (tx) => {
    if (!(await finishIntent(tx, intent))) return
    for (const step of steps) await step(tx)
    await maintainLater(tx, row, {
      commits: summary.commit_count - row.commit_count,
      references: changes.length,
      changes: await updateRow(tx, row, summary),
    })
    if (place === undefined || intent.cause === COPIED) return
    const target = { type: 'Project', id: place.id }
    for (const one of pushed) {
      const details = options === undefined ? one : { ...one, push_options: options }
      record(tx, { name: 'references pushed', namespace: place.namespace_id, target, details })
    }
  })
}

/** Makes `HEAD` name the default branch, which clones check out. */
export async function pointHead(repository: StoredRepository, branch: string): Promise<void> {
  await repository.git.capture(repository, ['symbolic-ref', 'HEAD', BRANCHES + branch], { lane: 'write' })
}

/** The project whose events tell of a repository; wikis have events of their own. */
async function projectOf({ source }: Repositories, { kind, project_id }: RepositoryRow) {
  if (kind !== 'project' || project_id === null) return undefined
  return source.db
    .selectFrom('projects')
    .select(['id', 'project_namespace_id as namespace_id'])
    .where('id', '=', project_id)
    .executeTakeFirst()
}

/** @returns how often references changed since housekeeping was last here */
async function updateRow(tx: Tx, { id, version }: RepositoryRow, summary: Summary): Promise<number> {
  const updated = await tx.db
    .updateTable('repositories')
    .set((eb) => ({
      ...summary,
      version: version + 1,
      last_changed_at: tx.now,
      changes_since_maintenance: eb('changes_since_maintenance', '+', 1),
    }))
    .where('id', '=', id)
    .where('version', '=', version)
    .returning('changes_since_maintenance')
    .executeTakeFirst()
  if (updated === undefined) throw new Overtaken('Somebody else has recorded changes')
  return updated.changes_since_maintenance
}

import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { transact } from '#platform/db/transaction.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { isShortName } from '#code/git/names.ts'
import { pointHead } from '#code/repositories/record-changes.ts'
import { assertWritable } from '#code/repositories/read-only.ts'
import { type BranchSummary, headOf, summaryWith } from '#code/repositories/summary.ts'

/** Makes another branch the default branch. What else the row says of it is put right by {@link settleDefaultBranch}. */
export async function changeDefaultBranch(
  tx: Tx,
  repositoryId: number,
  summary: BranchSummary,
): Promise<void> {
  await tx.db
    .updateTable('repositories')
    .set((eb) => ({ ...summary, version: eb('version', '+', 1) }))
    .where('id', '=', repositoryId)
    .execute()
}

/**
 * Makes `HEAD` name the default branch, which clones check out, and reads again what the row tells of that branch:
 * somebody may have pushed while it became the default branch.
 */
export const settleDefaultBranch = defineTask(
  'repositories/settle-default-branch',
  'short',
  Type.Object({ repository_id: Type.Integer() }),
  ({ repository_id }, job) => settle(repository_id, job),
)

async function settle(id: number, job: JobContext): Promise<void> {
  const repositories = job.repositories
  await repositories.turns.take(id, async () => {
    const row = await repositories.reload({ id })
    if (row === undefined || row.made_at === null) return
    const repository = await repositories.open(row)
    const branch = row.default_branch ?? (await chosenFor(job, row.project_id))
    if (branch === undefined || !isShortName(branch)) return
    assertWritable(row)
    if ((await headOf(repository)) !== branch) await pointHead(repository, branch)
    const after = await repositories.reload(row)
    // It has moved meanwhile, perhaps without this change.
    if (after !== undefined) assertWritable(after, row)
    const summary = await summaryWith(repository, row, branch)
    if (row.default_branch === null || summary === undefined) return
    await transact(repositories.source, { author: null, ip: null }, async (tx) => {
      await tx.db
        .updateTable('repositories')
        .set({ ...summary, version: row.version + 1 })
        .where('id', '=', id)
        .where('version', '=', row.version)
        .where('default_branch', '=', branch)
        .execute()
    })
  })
}

/** The branch that somebody has chosen for a repository that has none yet. */
async function chosenFor({ db }: JobContext, projectId: number | null): Promise<string | undefined> {
  if (projectId === null) return undefined
  const found = await db
    .selectFrom('projects')
    .select(sql<string | null>`settings ->> 'default_branch'`.as('branch'))
    .where('id', '=', projectId)
    .executeTakeFirst()
  return found?.branch ?? undefined
}

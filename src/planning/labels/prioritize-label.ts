import type { Tx } from '#platform/db/transaction.ts'

/** Sets the project's own priority of a label; null removes it. */
export async function prioritizeLabel(
  tx: Tx,
  projectId: number,
  labelId: number,
  priority: number | null,
): Promise<void> {
  if (priority === null) {
    await tx.db
      .deleteFrom('label_priorities')
      .where('project_id', '=', projectId)
      .where('label_id', '=', labelId)
      .execute()
    return
  }
  await tx.db
    .insertInto('label_priorities')
    .values({ project_id: projectId, label_id: labelId, priority })
    .onConflict((oc) => oc.columns(['project_id', 'label_id']).doUpdateSet({ priority }))
    .execute()
}

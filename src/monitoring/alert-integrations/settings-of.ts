import { lockText } from '#platform/db/locks.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import type { AlertSettings } from './entity.ts'

/** What holds until somebody changes it. */
const defaults: AlertSettings = {
  create_incident: false,
  incident_template: null,
  send_email: true,
  auto_close_incident: true,
  external_on_call: false,
}

/** The settings of a project for alerts. */
export async function settingsOf(db: Db | Tx['db'], projectId: number): Promise<AlertSettings> {
  const row = await db
    .selectFrom('alert_settings')
    .select(['create_incident', 'incident_template', 'send_email', 'auto_close_incident', 'external_on_call'])
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row ?? defaults
}

/** Lets one writer at a time decide how many integrations a project has, and which are active. */
export const lockIntegrationsOf = (tx: Tx, projectId: number): Promise<void> =>
  lockText(tx, `alert integrations of ${projectId}`)

/** Changes the given settings. When an external product goes on call, the integrations stop being active, and stay so afterwards. */
export async function updateSettings(
  tx: Tx,
  project: { readonly id: number; readonly namespace_id: number },
  given: Partial<AlertSettings>,
): Promise<AlertSettings> {
  await lockIntegrationsOf(tx, project.id)
  const before = await settingsOf(tx.db, project.id)
  const next = { ...before, ...given }
  const changes = changesBetween({ ...before }, { ...next })
  const fields = Object.keys(changes)
  if (fields.length === 0) return before
  await tx.db
    .insertInto('alert_settings')
    .values({ project_id: project.id, ...next, updated_at: tx.now })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ ...next, updated_at: tx.now }))
    .execute()
  if (fields.includes('external_on_call') && next.external_on_call) {
    await tx.db
      .updateTable('alert_integrations')
      .set({ active: false, updated_at: tx.now })
      .where('project_id', '=', project.id)
      .where('active', '=', true)
      .execute()
  }
  record(tx, {
    name: 'alert settings changed',
    namespace: project.namespace_id,
    target: { type: 'Project', id: project.id },
    details: { fields, changes },
  })
  return next
}

import type { Plan } from '#platform/access/route-access.ts'
import type { Mapping } from '#monitoring/alert-receiver/payload/mapping.ts'
import type { PresetName } from '#monitoring/alert-receiver/payload/presets.ts'
import type { Json, PayloadKind } from '#monitoring/alert-receiver/payload/report.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { forbidden, invalid, refusal } from '#platform/refusals.ts'
import { integrationColumns, type IntegrationRow } from './entity.ts'
import { aboutIntegration } from './facts.ts'
import type { StoredKey } from './keys.ts'
import { lockIntegrationsOf, settingsOf } from './settings-of.ts'

/** What people say of an integration, checked. */
export interface IntegrationValues {
  readonly name: string
  readonly active: boolean
  readonly preset: PresetName | null
  readonly mapping: Mapping
  readonly sample_payload: Json | null
}

/** The most integrations of a project where a plan allows several. */
const MAX_INTEGRATIONS = 100

/**
 * Makes an integration.
 * @throws 403 for a second one without a plan; 400 past the maximum, and for an active one while an external product is on call.
 */
export async function createIntegration(
  tx: Tx,
  project: { readonly id: number; readonly namespace_id: number },
  given: IntegrationValues & { readonly type: PayloadKind },
  { key, plan }: { readonly key: StoredKey; readonly plan: Plan },
): Promise<IntegrationRow> {
  await lockIntegrationsOf(tx, project.id)
  const { count } = await tx.db
    .selectFrom('alert_integrations')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow()
  if (count >= 1 && plan === 'free') throw forbidden('Several alert integrations need premium')
  if (count >= MAX_INTEGRATIONS)
    throw refusal(`400 Bad request - a project has at most ${MAX_INTEGRATIONS} alert integrations`)
  if (given.active) await assertNotOnCall(tx, project.id)
  const { mapping, sample_payload, ...rest } = given
  const row = await tx.db
    .insertInto('alert_integrations')
    .values({
      ...rest,
      ...key,
      mapping: JSON.stringify(mapping),
      sample_payload: sample_payload === null ? null : JSON.stringify(sample_payload),
      project_id: project.id,
      identifier: Buffer.from(tx.random.bytes(8)).toString('hex'),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(integrationColumns)
    .executeTakeFirstOrThrow()
  record(tx, {
    ...aboutIntegration(row.id, project.namespace_id),
    name: 'alert integration created',
    details: { integration: row.name, type: row.type },
  })
  return row
}

/** @throws 400 */
export async function assertNotOnCall(tx: Tx, projectId: number): Promise<void> {
  const { external_on_call } = await settingsOf(tx.db, projectId)
  if (external_on_call) throw invalid({ active: ['must be false while an external product is on call'] })
}

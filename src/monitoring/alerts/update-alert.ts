import { sql } from 'kysely'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { conflict } from '#platform/refusals.ts'
import { readersAmong } from '#planning/noteables/items/readers-among.ts'
import { touch } from '#planning/noteables/touch.ts'
import type { AlertRow } from './entity.ts'
import { aboutAlert } from './facts.ts'
import type { AlertStatus } from './parameters.ts'
import { lockAlert } from './queries.ts'

interface Changes {
  readonly status?: AlertStatus | undefined
  readonly assignee_ids?: readonly number[] | undefined
}

/**
 * Changes who works on an alert, and what they made of it.
 * @throws 404; 409 when it is to be open again while another open alert has its fingerprint
 */
export async function updateAlert(
  tx: Tx,
  authorized: AuthorizedProject,
  iid: number,
  { status, assignee_ids }: Changes,
): Promise<void> {
  const people = assignee_ids === undefined ? undefined : await readersAmong(tx, authorized, assignee_ids)
  const alert = await lockAlert(tx, authorized.container.id, iid)
  const changed = [await changeStatus(tx, alert, status), await changeAssignees(tx, alert, people)]
  if (changed.includes(true)) await touch(tx, alert.id)
}

async function changeStatus(tx: Tx, alert: AlertRow, status: AlertStatus | undefined): Promise<boolean> {
  if (status === undefined || status === alert.status) return false
  if (alert.status === 'resolved') await assertOnlyOne(tx, alert)
  const endedAt = status === 'resolved' ? tx.now : null
  await tx.db.updateTable('alerts').set({ status, ended_at: endedAt }).where('id', '=', alert.id).execute()
  record(tx, {
    ...aboutAlert(alert),
    name: 'alert status changed',
    details: { iid: alert.iid, from: alert.status, to: status },
  })
  return true
}

/** @throws 409. So does the unique index, when a report comes in this moment. */
async function assertOnlyOne(tx: Tx, { project_id, fingerprint }: AlertRow): Promise<void> {
  const other = await tx.db
    .selectFrom('alerts')
    .select('iid')
    .where('project_id', '=', project_id)
    .where('fingerprint', '=', fingerprint)
    .where('status', '<>', 'resolved')
    .executeTakeFirst()
  if (other !== undefined)
    throw conflict(`409 Conflict - alert ${other.iid} is open and was reported in the same way`)
}

async function changeAssignees(
  tx: Tx,
  alert: AlertRow,
  wanted: readonly number[] | undefined,
): Promise<boolean> {
  if (wanted === undefined) return false
  const before = alert.assignees.map(({ id }) => id)
  const [added, removed] = [
    wanted.filter((id) => !before.includes(id)),
    before.filter((id) => !wanted.includes(id)),
  ]
  if (added.length + removed.length === 0) return false
  await sql`delete from alert_assignees where alert_id = ${alert.id} and user_id = any(${removed}::bigint[])`.execute(
    tx.db,
  )
  await sql`insert into alert_assignees (alert_id, user_id) select ${alert.id}, unnest(${added}::bigint[])`.execute(
    tx.db,
  )
  const named = await tx.db
    .selectFrom('users')
    .select(['id', 'username'])
    .where(sql<boolean>`id = any(${[...added, ...removed]}::bigint[])`)
    .orderBy('id')
    .execute()
  record(tx, {
    ...aboutAlert(alert),
    name: 'alert assignees changed',
    details: {
      added: named.filter(({ id }) => added.includes(id)),
      removed: named.filter(({ id }) => removed.includes(id)),
    },
  })
  return true
}

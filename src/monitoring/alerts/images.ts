import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound, refusal } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { touch } from '#planning/noteables/touch.ts'
import type { AlertRow } from './entity.ts'

const columns = ['id', 'file_id', 'filename', 'url', 'url_text', 'created_at'] as const

export interface ImageRow {
  readonly id: number
  readonly file_id: string
  readonly filename: string
  readonly url: string | null
  readonly url_text: string | null
  readonly created_at: string
}

/** The most pictures of an alert. */
const MAX_IMAGES = 100

/** Oldest first. */
export const imageOrder: ListOrder = {
  of: 'MetricImage',
  id: 'm.id',
  columns: { id: { column: 'm.id' } },
  by: 'id',
  sort: 'asc',
}

export const imagesOf = (db: Db | Tx['db'], alertId: number) =>
  db
    .selectFrom('alert_metric_images as m')
    .select(columns.map((column) => `m.${column}` as const))
    .where('m.alert_id', '=', alertId)

/** @throws 404 */
export async function findImage(db: Db | Tx['db'], alertId: number, id: number): Promise<ImageRow> {
  return imagesOf(db, alertId)
    .where('m.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Metric Image'))
}

type Alert = Pick<AlertRow, 'id'>

/** Adds a picture to an alert, which is locked. @throws 400 past the maximum */
export async function addImage(
  tx: Tx,
  alert: Alert,
  image: Pick<ImageRow, 'file_id' | 'filename' | 'url' | 'url_text'>,
): Promise<ImageRow> {
  const { count } = await tx.db
    .selectFrom('alert_metric_images')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('alert_id', '=', alert.id)
    .executeTakeFirstOrThrow()
  if (count >= MAX_IMAGES) throw refusal(`400 Bad request - an alert has at most ${MAX_IMAGES} pictures`)
  await touch(tx, alert.id)
  return tx.db
    .insertInto('alert_metric_images')
    .values({ alert_id: alert.id, ...image, created_at: tx.now })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** Changes the link of a picture of an alert, which is locked. @throws 404 */
export async function changeImage(
  tx: Tx,
  alert: Alert,
  id: number,
  link: Partial<Pick<ImageRow, 'url' | 'url_text'>>,
): Promise<ImageRow> {
  await findImage(tx.db, alert.id, id)
  await touch(tx, alert.id)
  return tx.db
    .updateTable('alert_metric_images')
    .set(link)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** Removes a picture of an alert, which is locked. @throws 404 */
export async function deleteImage(tx: Tx, alert: Alert, id: number): Promise<void> {
  await findImage(tx.db, alert.id, id)
  await touch(tx, alert.id)
  await tx.db.deleteFrom('alert_metric_images').where('id', '=', id).execute()
}

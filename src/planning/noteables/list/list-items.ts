import type { FastifyReply } from 'fastify'
import { sql } from 'kysely'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import { keysetPage } from '#platform/http/keyset.ts'
import type { ListOrder, PagedRequest } from '#platform/http/order.ts'
import { paginateIds, paginateNothing } from '#platform/http/pagination.ts'
import { inChanged } from './changes.ts'
import { allOf } from './conditions.ts'
import { countItems, findPage, type ListSelection } from './find.ts'
import { tablesOf } from './kind.ts'
import { inScope } from './scope.ts'

/** How the items of a page are read and presented. */
export interface ItemReading<Row, Entity> {
  /**
   * Reads items by their ids, in the order of the ids; without those that the viewer may not see.
   * @param longest the largest size in bytes of a long text; longer ones are left out.
   */
  readonly read: (ids: readonly number[], longest?: number) => Promise<Row[]>
  /** The size in bytes of the texts that an item was read without. */
  readonly lacks: (row: Row) => number
  readonly present: (rows: readonly Row[]) => Entity[]
}

/**
 * Every list of items.
 * @param selection undefined when no item can match.
 * @throws as {@link paginateIds} does
 */
export async function listItems<Row extends { readonly id: number }, Entity>(
  req: PagedRequest & Parameters<typeof sendLong>[0],
  reply: FastifyReply,
  order: ListOrder,
  selection: ListSelection | undefined,
  { read, lacks, present }: ItemReading<Row, Entity>,
): Promise<Entity[] | void> {
  if (selection === undefined) return paginateNothing(req, reply)
  const { db } = req.server
  const longest = inlineBytes(req.query)
  const rows = await paginateIds(
    req,
    reply,
    {
      find: (wanted) => findPage(db, selection, wanted),
      count: async () => (await countItems(db, selection, { total: sql<boolean>`true` })).total,
      findByKeys: () => findByKeys(req, reply, selection, order),
      read: (ids) => read(ids, longest),
    },
    order,
  )
  return sendLong(req, reply, { rows, lacks, whole: (ids) => read(ids) }, present)
}

/** The ids of a keyset page of the items of one project; only these lists have such pages. */
async function findByKeys(
  req: PagedRequest,
  reply: FastifyReply,
  selection: ListSelection,
  order: ListOrder,
): Promise<{ readonly id: number }[]> {
  const { db } = req.server
  if (req.query.order_by === 'updated_at') {
    const changed = db.selectFrom('noteables as nt').select('nt.id').where(inChanged(selection))
    return keysetPage(req, reply, changed, { ...order, id: 'nt.id' })
  }
  const { scope, filters: all } = selection
  const items = db
    .selectFrom(sql<{ id: number }>`${tablesOf(scope.of).items}`.as('i'))
    .select('i.id')
    .where(inScope(scope))
  // In this form, PostgreSQL may begin with what the index leads to.
  const tests = all.map(({ test, source }) =>
    source?.scansMost === true ? sql<boolean>`i.id in (${source.ids})` : test,
  )
  return keysetPage(req, reply, items.where(allOf(tests)), order)
}

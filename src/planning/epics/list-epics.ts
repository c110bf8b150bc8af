import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { ListRequest } from '#platform/http/order.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import { paginateIds } from '#platform/http/pagination.ts'
import { keysetNotOffered } from '#platform/http/keyset.ts'
import type { Epic } from './entity.ts'
import { epicOrder } from './list-order.ts'
import { countEpics, findPage } from './list/find.ts'
import { filtersOf } from './list/filters.ts'
import type { EpicScope } from './list/scope.ts'
import type { Filter } from './parameters.ts'
import { epicAudienceOf, presentEpics } from './present.ts'
import { epicsFor, type EpicRow } from './queries.ts'
import { lacksOf } from '#planning/noteables/items/lacking.ts'
import { epicVisibleTo } from './visible.ts'

/** The epics of some groups, filtered and sorted as the request asks. */
export async function listEpics(
  req: ListRequest & { readonly query: Filter },
  reply: FastifyReply,
  scope: EpicScope,
): Promise<Static<typeof Epic>[] | void> {
  const { query, viewer, server } = req
  const { db } = server
  const selection = {
    scope,
    filters: filtersOf(query, viewer.id),
  }
  const read = async (ids: readonly number[], longest?: number): Promise<EpicRow[]> => {
    // Rights are asked again: between the two statements, an epic may become confidential.
    const found = await epicsFor(db, viewer, longest)
      .where(isAnyOf('e.id', ids))
      .where(epicVisibleTo(viewer))
      .execute()
    const byId = new Map(found.map((row) => [row.id, row]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }
  const rows = await paginateIds(
    req,
    reply,
    {
      find: (wanted) => findPage(db, selection, wanted),
      count: () => countEpics(db, selection),
      findByKeys: () => Promise.reject(keysetNotOffered()),
      read: (ids) => read(ids, inlineBytes(query)),
    },
    epicOrder,
  )
  const long = { rows, lacks: lacksOf(query), whole: read }
  return sendLong(req, reply, long, (some) => presentEpics(some, epicAudienceOf(req), query))
}

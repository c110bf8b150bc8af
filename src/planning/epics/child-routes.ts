import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { group, reads, writes } from '#platform/access/route-access.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import { ordered } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { lockReferencedRows } from '#planning/noteables/items/lock-referred.ts'
import { Epic } from './entity.ts'
import { childOrder } from './list-order.ts'
import { ByChild, ByEpic, Neighbours, NewChild, EpicPages } from './parameters.ts'
import { epicAudienceOf, presentEpic, presentEpics } from './present.ts'
import { type EpicRow, epicsFor, findEpic, lockEpic } from './queries.ts'
import { lacksOf } from '#planning/noteables/items/lacking.ts'
import { reorder } from './reorder.ts'
import { openEpic } from './open-epic.ts'
import { setParent } from './set-parent.ts'
import { epicTier as tier } from './tier.ts'
import { findEpicById, lockLinkable, lockTree } from './tree.ts'
import { epicVisibleTo } from './visible.ts'
import { epicsApi as deprecated } from './identity.ts'

const linking = writes(group('link_epic'), { tier })

/** Epics below another epic. */
export const childEpicRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/groups/:id/epics/:epic_iid/epics',
    {
      config: reads(group('read_epic'), { tier }),
      schema: {
        summary: 'List the child epics of an epic',
        description: 'In their manual order, without those that you cannot see.',
        deprecated,
        params: ByEpic,
        querystring: EpicPages,
        response: { 200: Type.Array(Epic) },
      },
    },
    async (req, reply) => {
      const { id } = await findEpic(db, req.viewer, req.group(), { iid: req.params.epic_iid })
      const children = childrenOf(req, id)
      const rows = await paginate(req, reply, children(inlineBytes(req.query)), childOrder)
      return sendLong(req, reply, longEpics(rows, children), (some) =>
        presentEpics(some, epicAudienceOf(req)),
      )
    },
  )

  app.post(
    '/groups/:id/epics/:epic_iid/epics/:child_epic_id',
    {
      config: linking,
      schema: {
        summary: 'Put an epic below an epic',
        description: 'Both are in one top-level group. An epic that was below another one leaves that one.',
        deprecated,
        params: ByChild,
        refuses: [422],
        response: { 201: Epic },
      },
    },
    async (req) => {
      const child = await moveBelow(req, req.params.epic_iid, req.params.child_epic_id)
      return presentEpic(child, epicAudienceOf(req))
    },
  )

  app.post(
    '/groups/:id/epics/:epic_iid/epics',
    {
      config: writes(group('admin_epic'), { tier }),
      schema: {
        summary: 'Open an epic below an epic',
        description: 'The setting `issues_create_limit` limits epics per minute, too.',
        deprecated,
        params: ByEpic,
        body: NewChild,
        refuses: [422],
        response: { 201: Epic },
      },
    },
    async (req) => {
      const { id } = await findEpic(db, req.viewer, req.group(), { iid: req.params.epic_iid })
      const child = await openEpic(req, { ...req.body, parent_id: id })
      return presentEpic(child, epicAudienceOf(req))
    },
  )

  app.put(
    '/groups/:id/epics/:epic_iid/epics/:child_epic_id',
    {
      config: linking,
      schema: {
        summary: 'Put a child epic before or after another one',
        deprecated,
        params: ByChild,
        body: Neighbours,
        refuses: [412],
        response: { 200: Type.Array(Epic) },
      },
    },
    async (req, reply) => {
      const { id } = await req.write(async (tx) => {
        const epic = await lockEpic(tx, req.viewer, req.group(), { iid: req.params.epic_iid })
        assertUnmodified(req, epic.updated_at)
        const visible = (ids: readonly number[]) =>
          childrenOf(req, epic.id, tx)(0).where(isAnyOf('e.id', ids)).execute()
        await reorder(tx, 'children', epic.id, req.params.child_epic_id, { ...req.body, visible })
        return epic
      })
      const children = childrenOf(req, id)
      const rows = await ordered(
        children(inlineBytes()),
        childOrder,
        childOrder.by,
        childOrder.sort,
      ).execute()
      return sendLong(req, reply, longEpics(rows, children), (some) =>
        presentEpics(some, epicAudienceOf(req)),
      )
    },
  )

  app.delete(
    '/groups/:id/epics/:epic_iid/epics/:child_epic_id',
    {
      config: linking,
      schema: {
        summary: 'Take an epic out of an epic',
        deprecated,
        params: ByChild,
        refuses: [412],
        response: { 200: Epic },
      },
    },
    async (req) => presentEpic(await takeOut(req, req.params), epicAudienceOf(req)),
  )
}

/** The epics below one, as far as the caller may see them, without texts of more bytes than `longest`. */
const childrenOf =
  ({ server, viewer }: FastifyRequest, parentId: number, { db }: Pick<Tx, 'db'> | typeof server = server) =>
  (longest?: number) =>
    epicsFor(db, viewer, longest).where('e.parent_id', '=', parentId).where(epicVisibleTo(viewer))

/** Epics as `sendLong` takes them. */
const longEpics = (rows: readonly EpicRow[], epics: ReturnType<typeof childrenOf>) => ({
  rows,
  lacks: lacksOf(),
  whole: (ids: readonly number[]) => epics().where(isAnyOf('e.id', ids)).execute(),
})

function moveBelow(req: FastifyRequest, parentIid: number, childId: number): Promise<EpicRow> {
  const { viewer } = req
  return req.write(async (tx) => {
    await lockTree(tx, req.group().container)
    const parent = await findEpic(tx.db, viewer, req.group(), { iid: parentIid })
    await lockReferencedRows(tx, { noteables: [parent.id] })
    const child = await lockLinkable(tx, viewer, childId)
    const moved = await setParent(tx, child, parent)
    return moved ? findEpicById(tx, viewer, childId) : child
  })
}

function takeOut(
  req: FastifyRequest,
  { epic_iid, child_epic_id }: { readonly epic_iid: number; readonly child_epic_id: number },
): Promise<EpicRow> {
  const { viewer } = req
  return req.write(async (tx) => {
    await lockTree(tx, req.group().container)
    const parent = await findEpic(tx.db, viewer, req.group(), { iid: epic_iid })
    const child = await lockLinkable(tx, viewer, child_epic_id)
    if (child.own_parent_id !== parent.id) throw notFound()
    assertUnmodified(req, child.updated_at)
    await setParent(tx, child, null)
    return findEpicById(tx, viewer, child_epic_id)
  })
}

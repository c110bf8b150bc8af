import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { AuthorizedGroup } from '#platform/access/authorize.ts'
import { takeFromMinute } from '#platform/http/limits.ts'
import type { ItemPlace } from '#planning/noteables/items/item-text.ts'
import { type ItemOpening, openRequestedItem } from '#planning/noteables/items/open-item.ts'
import { createEpic, type NewEpic } from './create-epic.ts'
import { epicNoteable } from './noteable.ts'
import type { NewEpic as NewEpicBody } from './parameters.ts'
import { type EpicRow, findEpic, keyedEpic, type SingleEpicRow } from './queries.ts'
import { heldInPlace, resolveChanges } from './resolve-changes.ts'
import { setParent } from './set-parent.ts'
import { findParent, lockTree } from './tree.ts'

/** Where a request writes epics. */
export interface EpicPlace extends ItemPlace {
  readonly caller: FastifyRequest
  readonly container: AuthorizedGroup['container']
  readonly authorized: AuthorizedGroup
}

export const epicPlaceOf = (req: FastifyRequest): EpicPlace => {
  const authorized = req.group()
  return { caller: req, container: authorized.container, authorized }
}

const openingEpics: ItemOpening<
  EpicPlace,
  Static<typeof NewEpicBody>,
  NewEpic & { readonly parent: EpicRow | null },
  { readonly id: number; readonly iid: number },
  SingleEpicRow
> = {
  kind: epicNoteable,
  async resolve(tx, { caller, container, authorized }, { parent_id, created_at, ...asked }) {
    const held = await heldInPlace(tx, authorized)
    if (parent_id) await lockTree(tx, container)
    const changes = await resolveChanges(tx, held, asked)
    const parent = parent_id ? await findParent(tx, caller.viewer, parent_id) : null
    const { confidential = parent?.confidential ?? false } = asked
    return { ...changes, title: asked.title, confidential, created_at, parent }
  },
  insert: (tx, { container }, epic) => createEpic(tx, container, epic),
  async follow(tx, { container }, { id, iid }, { parent, confidential = false }) {
    const { namespace_id: group_id, full_path } = container
    const epic = { id, iid, group_id, full_path, confidential, own_parent_id: null }
    if (parent !== null) await setParent(tx, epic, parent)
  },
  keyOf: ({ id }) => ({ id }),
  find: (on, { caller, authorized }, key) => findEpic(on, caller.viewer, authorized, keyedEpic(key)),
}

/**
 * Opens the epic that a request asks for, below another one if it names one.
 * @throws 400 for an unacceptable title or color and too many labels, 404 and 422 for an impossible parent
 */
export async function openEpic(
  req: FastifyRequest,
  { created_at, ...asked }: Static<typeof NewEpicBody>,
): Promise<SingleEpicRow> {
  const place = epicPlaceOf(req)
  await takeFromMinute(req, 'issues_create_limit')
  const moment = created_at !== undefined && place.authorized.can('set_epic_created_at') ? { created_at } : {}
  return openRequestedItem(req, openingEpics, place, { ...asked, ...moment })
}

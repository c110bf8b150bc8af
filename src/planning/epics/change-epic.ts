import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { changeItem, type ItemChanging } from '#planning/noteables/items/change-item.ts'
import type { EpicChanges } from './changes.ts'
import { epicNoteable } from './noteable.ts'
import { type EpicPlace, epicPlaceOf } from './open-epic.ts'
import type { EpicChanges as EpicChangesBody } from './parameters.ts'
import {
  type EpicRow,
  findEpic,
  forConfidentiality,
  keyedEpic,
  lockEpic,
  type SingleEpicRow,
} from './queries.ts'
import { heldInPlace, namesLabels, resolveChanges } from './resolve-changes.ts'
import { setParent } from './set-parent.ts'
import { findParent, lockTree } from './tree.ts'
import { updateEpic } from './update-epic.ts'

/** What an epic becomes: its fields, and the epic above it (undefined for the same as before). */
interface Changes extends EpicChanges {
  readonly updated_at?: string | undefined
  readonly parent: EpicRow | null | undefined
}

const changingEpics: ItemChanging<EpicPlace, Static<typeof EpicChangesBody>, Changes, SingleEpicRow> = {
  kind: epicNoteable,
  async resolve(tx, { caller, container, authorized }, { parent_id, updated_at, ...asked }) {
    const held = namesLabels(asked) ? await heldInPlace(tx, authorized) : authorized
    if (parent_id !== undefined) await lockTree(tx, container)
    const changes = await resolveChanges(tx, held, asked)
    const parent = parent_id ? await findParent(tx, caller.viewer, parent_id) : null
    return { ...changes, updated_at, parent: parent_id === undefined ? undefined : parent }
  },
  find: (on, { caller, authorized }, key) => findEpic(on, caller.viewer, authorized, keyedEpic(key)),
  lock: (tx, { caller, authorized }, key, { asked, commands }) => {
    const hides = commands.some(({ name }) => name === 'confidential')
    const strength = forConfidentiality(asked.confidential ?? (hides || undefined))
    return lockEpic(tx, caller.viewer, authorized, keyedEpic(key), strength)
  },
  async update(tx, _place, epic, { parent, updated_at, ...changes }) {
    const changed = await updateEpic(tx, epic, changes, updated_at)
    const { confidential = epic.confidential } = changes
    const moved = parent !== undefined && (await setParent(tx, { ...epic, confidential }, parent))
    return changed || moved
  },
  keyOf: ({ id }) => ({ id }),
}

/**
 * Changes an epic as a request asks for.
 * @throws 404, 400 for what cannot be stored, 412, 422 for an impossible parent
 */
export async function changeEpic(
  req: FastifyRequest,
  iid: number,
  { updated_at, ...asked }: Static<typeof EpicChangesBody>,
): Promise<SingleEpicRow> {
  const place = epicPlaceOf(req)
  const moment = updated_at !== undefined && place.authorized.can('set_epic_created_at') ? { updated_at } : {}
  return changeItem(req, changingEpics, place, { iid }, { ...asked, ...moment })
}

import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { authorizeNamedGroup } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { IssueLinkType } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { conflict, notFound, unprocessable } from '#platform/refusals.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { record } from '#platform/facts/record.ts'
import { lockReferencedRows } from '#planning/noteables/items/lock-referred.ts'
import { aboutEpic, namingEpic } from './facts-about.ts'
import { MAX_LINKS } from './limits.ts'
import { type EpicRow, epicsFor, findEpic } from './queries.ts'
import { findLinkable } from './tree.ts'
import { epicVisibleTo } from './visible.ts'

/** An epic that is linked with the requested one, and their link. */
export interface RelatedEpicRow extends EpicRow {
  readonly link_id: number
  readonly link_type: IssueLinkType
  readonly link_created_at: string
  readonly link_updated_at: string
  /** Whether the requested epic is the source of the link. */
  readonly is_source: boolean
}

/** The epics linked with one that the viewer may see, without texts of more bytes than `longest`. */
export function relatedEpics(db: Db | Tx['db'], viewer: Viewer, epicId: number, longest?: number) {
  return epicsFor(db, viewer, longest)
    .innerJoin('epic_links as k', (join) =>
      join.on(sql<boolean>`e.id = case k.source_id when ${epicId} then k.target_id else k.source_id end`),
    )
    .where((eb) => eb.or([eb('k.source_id', '=', epicId), eb('k.target_id', '=', epicId)]))
    .where(epicVisibleTo(viewer))
    .select([
      'k.id as link_id',
      'k.link_type',
      'k.created_at as link_created_at',
      'k.updated_at as link_updated_at',
      sql<boolean>`k.source_id = ${epicId}`.as('is_source'),
    ])
}

/** Finds the epic to link with, by the id or path of its group and its number there. */
export async function openTarget(tx: Tx, viewer: Viewer, group: string, iid: number): Promise<EpicRow> {
  const there = await authorizeNamedGroup(tx.db, viewer, group, 'read_epic')
  const { id } = await findEpic(tx.db, viewer, there, { iid })
  return findLinkable(tx, viewer, id)
}

/** The relation in the source's system note and in the target's. */
const relations = {
  relates_to: ['related to', 'related to'],
  blocks: ['blocking', 'blocked by'],
} as const satisfies Record<IssueLinkType, readonly [string, string]>

/** A link with both of its epics. */
export interface EpicLinkRow {
  readonly id: number
  readonly link_type: IssueLinkType
  readonly created_at: string
  readonly updated_at: string
  readonly source: EpicRow
  readonly target: EpicRow
}

/**
 * Links two epics; `type` is what the first is to the second.
 * @throws 409 when they are linked already, 422 for an epic with itself or when one of the two has too many links.
 */
export async function linkEpics(
  tx: Tx,
  epic: EpicRow,
  other: EpicRow,
  type: IssueLinkType | 'is_blocked_by',
): Promise<EpicLinkRow> {
  if (epic.id === other.id) throw unprocessable('An epic cannot be linked with itself')
  await lockReferencedRows(tx, { noteables: [epic.id, other.id] })
  const [source, target] = type === 'is_blocked_by' ? [other, epic] : [epic, other]
  const link_type = type === 'is_blocked_by' ? 'blocks' : type
  await assertRoom(tx, [source, target])
  const made = await tx.db
    .insertInto('epic_links')
    .values({
      source_id: source.id,
      target_id: target.id,
      link_type,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .onConflict((oc) => oc.doNothing())
    .returning(['id', 'link_type', 'created_at', 'updated_at'])
    .executeTakeFirst()
  if (made === undefined) throw conflict('Epics are linked already')
  const [ofSource, ofTarget] = relations[link_type]
  const name = 'epic linked'
  record(
    tx,
    { ...aboutEpic(source), name, details: { ...namingEpic(target, source.group_id), relation: ofSource } },
    { ...aboutEpic(target), name, details: { ...namingEpic(source, target.group_id), relation: ofTarget } },
  )
  return { ...made, source, target }
}

async function assertRoom(tx: Tx, epics: readonly EpicRow[]): Promise<void> {
  const ids = epics.map(({ id }) => id)
  const { rows } = await sql<{ id: number }>`
    select one.id from unnest(${ids}::bigint[]) as one (id)
    where (select count(*) from epic_links k where k.source_id = one.id or k.target_id = one.id) >= ${MAX_LINKS}`.execute(
    tx.db,
  )
  if (rows.length > 0) throw unprocessable(`An epic can have ${MAX_LINKS} links`)
}

/**
 * Removes a link of an epic.
 * @throws 404 when the caller may not see one of the two, 403 when they may not link there
 */
export async function unlinkEpics(
  tx: Tx,
  request: FastifyRequest,
  epic: EpicRow,
  linkId: number,
): Promise<EpicLinkRow> {
  const link = await tx.db
    .selectFrom('epic_links as k')
    .select(['k.id', 'k.source_id', 'k.target_id', 'k.link_type', 'k.created_at', 'k.updated_at'])
    .where('k.id', '=', linkId)
    .where((eb) => eb.or([eb('k.source_id', '=', epic.id), eb('k.target_id', '=', epic.id)]))
    .executeTakeFirstOrThrow(() => notFound())
  const isSource = link.source_id === epic.id
  const other = await findLinkable(tx, request.viewer, isSource ? link.target_id : link.source_id)
  assertUnmodified(request, link.updated_at)
  await lockReferencedRows(tx, { noteables: [epic.id, other.id] })
  const { numDeletedRows } = await tx.db
    .deleteFrom('epic_links')
    .where('id', '=', linkId)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw notFound()
  record(
    tx,
    { ...aboutEpic(epic), name: 'epic unlinked', details: namingEpic(other, epic.group_id) },
    { ...aboutEpic(other), name: 'epic unlinked', details: namingEpic(epic, other.group_id) },
  )
  return { ...link, source: isSource ? epic : other, target: isSource ? other : epic }
}

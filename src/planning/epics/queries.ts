import { type RawBuilder, sql } from 'kysely'
import type { AuthorizedGroup } from '#platform/access/authorize.ts'
import { levels } from '#platform/access/roles.ts'
import {
  shapeOfViewer,
  type SqlViewer,
  valuesOfViewer,
  type Viewer,
  viewerIn,
  type ViewerShape,
  type ViewerValues,
} from '#platform/access/viewer.ts'
import { archivedIn, hasLevel } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import { type Params, statement } from '#platform/db/statement.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { leftOut, shortened } from '#platform/http/long-rows.ts'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import { type CarriedLabel, carriedLabelJson } from '#planning/labels/carried.ts'
import type { ItemKey } from '#planning/noteables/items/item-text.ts'
import { locking } from '#planning/noteables/lock.ts'
import { epicOpenIn, epicVisibleTo } from './visible.ts'

/** An epic with everything that presenters need. */
export type EpicRow = Awaited<ReturnType<ReturnType<typeof epicsFor>['executeTakeFirstOrThrow']>>

/** The epic above another one, if the viewer may see it. */
export interface ParentRow {
  readonly id: number
  readonly iid: number
  readonly group_id: number
}

const wanted = [
  'e.id',
  'e.iid',
  'e.group_id',
  'e.title',
  'e.state',
  'e.author_id',
  'e.confidential',
  'e.color',
  'e.parent_id as own_parent_id',
  'e.start_date',
  'e.start_date_is_fixed',
  'e.start_date_fixed',
  'e.start_date_inherited',
  'e.due_date',
  'e.due_date_is_fixed',
  'e.due_date_fixed',
  'e.due_date_inherited',
  'e.upvotes',
  'e.downvotes',
  'e.closed_at',
  'e.created_at',
  'nt.updated_at',
  'n.full_path',
] as const

/**
 * All epics, each with everything that presenters need. Relations come as JSON, so that a page is one statement.
 * Callers must add the condition of who may see them (visible.ts).
 * @param longest the largest size in bytes of a long text; longer ones are left out.
 */
export function epicsFor(db: Db | Tx['db'], viewer: SqlViewer, longest?: number) {
  return db
    .selectFrom('epics as e')
    .innerJoin('namespaces as n', 'n.id', 'e.group_id')
    .innerJoin('noteables as nt', 'nt.id', 'e.id')
    .select(wanted)
    .select([
      sql<string | null>`${shortened('e.description', longest)}`.as('description'),
      leftOut('e.description', longest).as('left_out'),
      sql<UserBasicRow>`(select ${userBasicJson('u')} from users u where u.id = e.author_id)`.as('author'),
      sql<CarriedLabel[]>`coalesce((
        select json_agg(${carriedLabelJson('l', longest)} order by l.name, l.id)
          from epic_labels c join labels l on l.id = c.label_id where c.epic_id = e.id), '[]')`.as('labels'),
      sql<ParentRow | null>`(
        select json_build_object('id', pe.id, 'iid', pe.iid, 'group_id', pe.group_id)
          from epics pe join namespaces pn on pn.id = pe.group_id
          where pe.id = e.parent_id and ${epicVisibleTo(viewer, { epic: 'pe', node: 'pn' })})`.as('parent'),
      mayEdit(viewer).as('editable'),
    ])
}

/** Whether the viewer may change the epics of the group; abilities.ts says the same of one group. */
function mayEdit(viewer: SqlViewer): RawBuilder<boolean> {
  const held = viewer.admin ? sql<boolean>`true` : hasLevel('n', viewer, levels.planner)
  return sql<boolean>`(${held} and not ${archivedIn('n')})`
}

/** Whether the viewer is subscribed to an epic: by choice, else when they take part. */
export function subscribedTo({ id }: Pick<SqlViewer, 'id'>): RawBuilder<boolean> {
  if (id === null) return sql<boolean>`false`
  return sql<boolean>`coalesce(
    (select s.subscribed from subscriptions s where s.noteable_id = e.id and s.user_id = ${id}),
    e.author_id = ${id}
      or exists (select 1 from notes x where x.noteable_id = e.id and x.author_id = ${id} and not x.system)
      or exists (select 1 from user_mentions x where x.noteable_id = e.id and x.user_id = ${id}))`
}

/** One epic, with fields that depend on the viewer and that only a single epic shows. */
export type SingleEpicRow = EpicRow & { readonly subscribed: boolean }

/** How an epic is named in its group: by its number in most paths, by its id in those of notes. */
export type EpicKey = { readonly iid: number } | { readonly id: number }

/** A number alone is the id of an epic, as in the paths of its notes. */
export const keyedEpic = (key: ItemKey): EpicKey => (typeof key === 'number' ? { id: key } : key)

/** The shape of the statement for one epic. */
interface OneShape extends ViewerShape {
  readonly readsAll: boolean
  readonly by: 'id' | 'iid'
}

interface OneValues extends ViewerValues {
  readonly group: number
  readonly key: number
}

const one = statement({
  name: 'epic',
  build: (db, param: Params<OneValues>, { readsAll, by, ...shape }: OneShape) => {
    const viewer = viewerIn(shape, param)
    return epicsFor(db, viewer)
      .where('e.group_id', '=', param('group'))
      .where(epicOpenIn(readsAll))
      .where(`e.${by}`, '=', param('key'))
      .select(subscribedTo(viewer).as('subscribed'))
  },
})

/**
 * Finds an epic of a group.
 * @throws 404, also when the caller may not see it
 */
export async function findEpic(
  db: Db | Tx['db'],
  viewer: Viewer,
  { container, can }: AuthorizedGroup,
  named: EpicKey,
): Promise<SingleEpicRow> {
  const readsAll = can('read_confidential_epic')
  const [by, key] = 'id' in named ? (['id', named.id] as const) : (['iid', named.iid] as const)
  const values = { ...valuesOfViewer(viewer), group: container.id, key }
  const [epic] = await one(db, values, { ...shapeOfViewer(viewer), readsAll, by })
  if (epic === undefined) throw notFound()
  return epic
}

/**
 * Finds an epic of a group and locks it: others who want to change it wait until this transaction ends.
 * @throws 404
 */
export async function lockEpic(
  tx: Tx,
  viewer: Viewer,
  authorized: AuthorizedGroup,
  named: EpicKey,
  purpose: keyof typeof locks = 'change',
): Promise<SingleEpicRow> {
  const { id } = await findEpic(tx.db, viewer, authorized, named)
  await lockRows(tx, id, purpose)
  // Read again under the lock, so that it has what the previous transaction wrote.
  return findEpic(tx.db, viewer, authorized, { id })
}

/**
 * How to lock an epic whose confidentiality changes. A transaction that puts something into the epic waits for this lock.
 */
export const forConfidentiality = (confidential: boolean | undefined) =>
  confidential === undefined ? 'change' : 'deletion'

/** Locks an epic: its noteable, and its own row. */
export async function lockRows(tx: Tx, id: number, purpose: keyof typeof locks = 'change'): Promise<void> {
  await locks[purpose].noteable(tx.db, { id })
  await locks[purpose].epic(tx.db, { id })
}

interface ById {
  readonly id: number
}

const idOf = (param: Params<ById>) => param('id')

/** Also the epic's own row, because votes and inherited dates lock nothing else. */
const lockingOwn = (strength: string) =>
  statement({
    name: `lock epic ${strength}`,
    build: (_, param: Params<ById>) =>
      sql`select 1 from epics where id = ${idOf(param)} ${sql.raw(strength)}`,
    deferred: true,
  })

const locks = {
  change: { noteable: locking('change', idOf), epic: lockingOwn('for no key update') },
  deletion: { noteable: locking('deletion', idOf), epic: lockingOwn('for update') },
}

import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import { KeptTexts, type Param, prepareShapes } from '#platform/db/prepare.ts'
import type { NoteType, UserState } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { inlineBytes, leftOut, shortened } from '#platform/http/long-rows.ts'
import type { ListOrder, PageQuery } from '#platform/http/order.ts'
import { userBasicJson } from '#identity/users/basic.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'
import type { Placed } from '#planning/noteables/position.ts'
import type { NoteRow, Resolution } from './entity.ts'
import { noteVisibleTo } from './visible.ts'

/** The texts of statements about notes. Those that ask who may see what notes name take longer to plan than to run. */
export const keptTexts = new KeptTexts(64, 'once')

export const noteOrder: ListOrder = {
  of: 'Note',
  id: 'x.id',
  columns: { created_at: { column: 'x.created_at' }, updated_at: { column: 'x.updated_at' } },
  by: 'created_at',
  sort: 'desc',
  kept: keptTexts,
}

/** The noteable and the viewer: everything that decides which rows there are. */
interface NoteSelection {
  readonly id: number
  readonly viewer: Viewer
  readonly readsInternal: boolean
  readonly namesOthers: boolean
  /** Whether notes there may stand on a diff. */
  readonly onDiff: boolean
  /** Whether notes there can be resolved. */
  readonly resolving: boolean
  /** The largest size of a body in bytes; longer ones are left out. */
  readonly longest?: number
}

const selectionOn = ({ id, kind, viewer, container, namesOthers }: Noteable): NoteSelection => ({
  id,
  viewer,
  readsInternal: container.may('readInternalNotes'),
  namesOthers,
  onDiff: kind.notes.fields.diff !== undefined,
  resolving: kind.resolving !== undefined,
})

function visible(db: Db | Tx['db'], { id, viewer, readsInternal, namesOthers }: NoteSelection) {
  return db
    .selectFrom('notes as x')
    .where('x.noteable_id', '=', id)
    .where(noteVisibleTo(viewer, readsInternal, 'x', namesOthers))
}

/** The notes on something that the viewer may see there, without columns. */
export const visibleNotes = (db: Db | Tx['db'], on: Noteable) => visible(db, selectionOn(on))

/** The same with their authors: all that presenters need, without bodies of more bytes than `longest`. */
export const notesOn = (db: Db | Tx['db'], on: Noteable, longest?: number) =>
  authored(db, { ...selectionOn(on), ...(longest === undefined ? {} : { longest }) })

function authored(db: Db | Tx['db'], selection: NoteSelection) {
  return (
    visible(db, selection)
      // A left join costs nothing where its columns are not used, as in totals. Every note has an author.
      .leftJoin('users as u', 'u.id', 'x.author_id')
      .select(noteColumns(selection.longest))
      .$if(selection.onDiff, (q) => q.select(positionOfNote))
      .$if(selection.resolving, (q) => q.select(resolutionOfNote))
  )
}

const positionOfNote =
  sql<Placed | null>`(select o.position from note_positions o where o.note_id = x.id)`.as('position')

const resolutionOfNote = sql<Resolution | null>`case when x.resolved_at is not null then json_build_object(
  'at', x.resolved_at, 'by', (select ${userBasicJson('r')} from users r where r.id = x.resolved_by_id)) end`.as(
  'resolution',
)

/** The columns of a {@link NoteRow}, from the note `x` and its author `u`, without bodies of more bytes than `longest`. */
export function noteColumns(longest?: number) {
  return [
    sql.ref<number>('x.id').as('id'),
    sql.ref<NoteType | null>('x.type').as('type'),
    sql.ref<boolean>('x.system').as('system'),
    sql.ref<boolean>('x.internal').as('internal'),
    sql.ref<string>('x.created_at').as('created_at'),
    sql.ref<string>('x.updated_at').as('updated_at'),
    sql.ref<number>('x.author_id').as('author_id'),
    shortened('x.body', longest).as('body'),
    leftOut('x.body', longest).as('left_out'),
    sql.ref<string>('u.username').as('author_username'),
    sql.ref<string>('u.name').as('author_name'),
    sql.ref<string>('u.email').as('author_email'),
    sql.ref<string | null>('u.public_email').as('author_public_email'),
    sql.ref<string | null>('u.avatar').as('author_avatar'),
    sql.ref<UserState>('u.state').as('author_state'),
    sql.ref<string>('u.created_at').as('author_created_at'),
  ] as const
}

export const activityFilters = ['all_notes', 'only_comments', 'only_activity'] as const

interface Filter {
  /** Only comments, or only system notes. */
  readonly activity_filter?: (typeof activityFilters)[number]
}

type Activity = NonNullable<Filter['activity_filter']>

function filtered(db: Db | Tx['db'], selection: NoteSelection, activity: Activity) {
  const notes = authored(db, selection)
  return activity === 'all_notes' ? notes : notes.where('x.system', '=', activity === 'only_activity')
}

interface Shape {
  readonly onDiff: boolean
  readonly resolving: boolean
  readonly readsInternal: boolean
  readonly signedIn: boolean
  readonly activity: Activity
}

/** A viewer whose rights in other containers do not matter. */
const somebody = (id: number | null): Viewer => ({ id, admin: false, external: false, today: '', closed: [] })

interface ListShape extends Shape {
  /** What decides how rights are asked, where system notes name things of any kind; undefined where none does. */
  readonly asks: (Pick<Viewer, 'admin' | 'external'> & { readonly kinds: number }) | undefined
}

interface ListValues {
  readonly id: number
  readonly viewer: number
  readonly today: string
  readonly longest: number
}

/** The statement's text has few forms. */
const lists = prepareShapes(
  (db, { signedIn, activity, asks, ...shape }: ListShape, param: Param<ListValues>) => {
    const nobody = somebody(signedIn ? param('viewer') : null)
    // Only system notes that name others depend on rights in other containers.
    const { admin, external } = asks ?? nobody
    const viewer = asks === undefined ? nobody : { ...nobody, admin, external, today: param('today') }
    const where = { ...shape, viewer, namesOthers: asks !== undefined }
    return filtered(db, { ...where, id: param('id'), longest: param('longest') }, activity)
  },
)

/** The list of notes on something, read in pages of such a query. */
export function listNotes(db: Db, on: Noteable, query: Filter & Pick<PageQuery, 'per_page'>) {
  const { activity_filter: activity = 'all_notes' } = query
  const longest = inlineBytes(query)
  const selection = { ...selectionOn(on), longest }
  const { id, viewer, readsInternal, namesOthers, onDiff, resolving } = selection
  // Rights of those who ask from where some groups refuse them have many forms.
  if (namesOthers && viewer.closed.length > 0) return filtered(db, selection, activity)
  const { admin, external, today } = viewer
  const asks = namesOthers ? { admin, external, kinds: noteableKinds().length } : undefined
  const shape = { readsInternal, onDiff, resolving, signedIn: viewer.id !== null, activity, asks }
  return lists(db, shape, { id, viewer: viewer.id ?? 0, today, longest })
}

/** Whether the viewer may still see the noteable of these notes. */
export const stillVisible = ({ kind, id, viewer }: Noteable) => kind.visibleTo(viewer, sql<number>`${id}`)

/** What answers with notes need besides the rows that were read. */
export const longNotes = (db: Db, on: Noteable) => ({
  lacks: ({ left_out }: NoteRow) => left_out ?? 0,
  whole: (ids: readonly number[]) =>
    notesOn(db, on).where(isAnyOf('x.id', ids)).where(stillVisible(on)).execute(),
})

/** One note, with its position in a discussion. */
export interface SingleNote extends NoteRow {
  readonly discussion_id: Buffer
  readonly starts_discussion: boolean
}

/**
 * Finds a note on something by its id, within a discussion when one is named.
 * @throws 404 `Note Not Found`
 */
export async function findNote(
  db: Db | Tx['db'],
  on: Noteable,
  id: number,
  discussionId?: Buffer,
): Promise<SingleNote> {
  const selection = selectionOn(on)
  const { readsInternal, namesOthers, onDiff, resolving, viewer } = selection
  const shape = {
    readsInternal,
    onDiff,
    resolving,
    signedIn: viewer.id !== null,
    inDiscussion: discussionId !== undefined,
  }
  const found = namesOthers
    ? await keptTexts.run(db, oneOf(authored(db, selection), id, discussionId))
    : await single(db, shape, { on: selection.id, viewer: viewer.id ?? 0, id, discussionId }).run<SingleNote>(
        db,
        'one',
        (query) => query,
      )
  const [note] = found
  if (note === undefined) throw notFound('Note')
  return note
}

/** The further columns of a {@link SingleNote}. */
export const discussionColumns = ['x.discussion_id', 'x.starts_discussion'] as const

function oneOf(notes: ReturnType<typeof authored>, id: number, discussionId: Buffer | undefined) {
  return notes
    .select(discussionColumns)
    .where('x.id', '=', id)
    .$if(discussionId !== undefined, (q) =>
      q.where(sql<boolean>`x.discussion_id = ${discussionId ?? null}::bytea`),
    )
}

/** Where no system note names another issue, the text can be cached. */
const single = prepareShapes(
  (
    db,
    {
      readsInternal,
      onDiff,
      resolving,
      signedIn,
      inDiscussion,
    }: Omit<Shape, 'activity'> & { readonly inDiscussion: boolean },
    param: Param<{ on: number; viewer: number; id: number; discussionId: Buffer | undefined }>,
  ) => {
    const viewer = somebody(signedIn ? param('viewer') : null)
    const where = { id: param('on'), viewer, readsInternal, namesOthers: false, onDiff, resolving }
    const notes = authored(db, where)
    return oneOf(notes, param('id'), inDiscussion ? param('discussionId') : undefined)
  },
)

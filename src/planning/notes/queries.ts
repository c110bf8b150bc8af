import { sql } from 'kysely'
import {
  shapeOfViewer,
  type SqlViewer,
  valuesOfViewer,
  viewerIn,
  type ViewerShape,
  type ViewerValues,
} from '#platform/access/viewer.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import { type Operand, type Params, statement, StatementCache } from '#platform/db/statement.ts'
import type { NoteType, UserState } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { inlineBytes, leftOut, shortened } from '#platform/http/long-rows.ts'
import type { ListOrder, PageQuery } from '#platform/http/order.ts'
import { userBasicJson } from '#identity/users/basic.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'
import type { NotePosition } from '#planning/noteables/position.ts'
import type { Suggesting, Suggestion } from '#planning/noteables/suggesting.ts'
import type { NoteRow, Resolution } from './entity.ts'
import { noteVisibleTo } from './visible.ts'

/** Statements about notes. Those that ask who may see what notes name take longer to plan than to run. */
export const noteStatements = new StatementCache({ name: 'notes', max: 64, plan: 'generic' })

export const noteOrder: ListOrder = {
  of: 'Note',
  id: 'x.id',
  columns: { created_at: { column: 'x.created_at' }, updated_at: { column: 'x.updated_at' } },
  by: 'created_at',
  sort: 'desc',
  statements: noteStatements,
}

/** What the text of a statement about the notes on something depends on, besides the viewer. */
interface NotesShape {
  readonly readsInternal: boolean
  readonly namesOthers: boolean
  /** Whether notes there may stand on a diff. */
  readonly onDiff: boolean
  /** Whether notes there can be resolved. */
  readonly resolving: boolean
  /** How notes there suggest changes of the diff. */
  readonly suggesting: Suggesting | undefined
}

/** The noteable and the viewer: everything that decides which rows there are. */
interface NoteSelection extends NotesShape {
  readonly id: Operand<number>
  readonly viewer: SqlViewer
  /** The largest size of a body in bytes; longer ones are left out. */
  readonly longest?: Operand<number>
}

const notesShapeOf = ({ kind, container, namesOthers }: Noteable): NotesShape => ({
  readsInternal: container.may('readInternalNotes'),
  namesOthers,
  onDiff: kind.notes.fields.diff !== undefined,
  resolving: kind.resolving !== undefined,
  suggesting: kind.suggesting,
})

const selectionOn = (on: Noteable): NoteSelection => ({ ...notesShapeOf(on), id: on.id, viewer: on.viewer })

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
  const { suggesting, longest } = selection
  return (
    visible(db, selection)
      // A left join costs nothing where its columns are not used, as in totals. Every note has an author.
      .leftJoin('users as u', 'u.id', 'x.author_id')
      .select(noteColumns(longest))
      .$if(selection.onDiff, (q) => q.select(positionOfNote))
      .$if(selection.resolving, (q) => q.select(resolutionOfNote))
      .$if(suggesting !== undefined, (q) => q.select(suggestionsOf(suggesting, longest)))
  )
}

const positionOfNote =
  sql<NotePosition | null>`(select o.position from note_positions o where o.note_id = x.id)`.as('position')

/** What the note suggests. It goes with the body: where that is left out, so is this. */
function suggestionsOf(suggesting: Suggesting | undefined, longest: Operand<number> | undefined) {
  const all = suggesting?.of(sql.ref<number>('x.id')) ?? sql<null>`null`
  const shown =
    longest === undefined ? all : sql`case when octet_length(x.body) <= ${longest} then ${all} end`
  return sql<readonly Suggestion[] | null>`${shown}`.as('suggestions')
}

const resolutionOfNote = sql<Resolution | null>`case when x.resolved_at is not null then json_build_object(
  'at', x.resolved_at, 'by', (select ${userBasicJson('r')} from users r where r.id = x.resolved_by_id)) end`.as(
  'resolution',
)

/** The columns of a {@link NoteRow}, from the note `x` and its author `u`, without bodies of more bytes than `longest`. */
export function noteColumns(longest?: Operand<number>) {
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

/** What the text of a statement for one viewer depends on. */
interface Shape extends NotesShape, ViewerShape {
  /** How many kinds there are of what system notes may name. */
  readonly kinds: number
}

interface Values extends ViewerValues {
  readonly noteable: number
}

function shapeFor(on: Noteable): Shape {
  const { signedIn, ...viewer } = shapeOfViewer(on.viewer)
  // Only system notes that name others depend on rights in other containers.
  const rights = on.namesOthers ? viewer : { admin: false, external: false, isRefused: false }
  return { ...notesShapeOf(on), ...rights, signedIn, kinds: on.namesOthers ? noteableKinds().length : 0 }
}

const valuesFor = (on: Noteable): Values => ({ ...valuesOfViewer(on.viewer), noteable: on.id })

/** The notes for a statement of a shape. */
const selectionIn = (shape: Shape, param: Params<Values>): NoteSelection => ({
  ...shape,
  id: param('noteable'),
  viewer: viewerIn(shape, param),
})

const lists = statement({
  name: 'notes on something',
  build: (
    db,
    param: Params<Values & { longest: number }>,
    { activity, ...shape }: Shape & { readonly activity: Activity },
  ) => {
    const notes = authored(db, { ...selectionIn(shape, param), longest: param('longest') })
    return activity === 'all_notes' ? notes : notes.where('x.system', '=', activity === 'only_activity')
  },
})

/** The list of notes on something, read in pages of such a statement. */
export function listNotes(on: Noteable, query: Filter & Pick<PageQuery, 'per_page'>) {
  const { activity_filter: activity = 'all_notes' } = query
  return lists.bind({ ...valuesFor(on), longest: inlineBytes(query) }, { ...shapeFor(on), activity })
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
  const shape = { ...shapeFor(on), inDiscussion: discussionId !== undefined }
  const [note] = await single(db, { ...valuesFor(on), id, discussionId }, shape)
  if (note === undefined) throw notFound('Note')
  return note
}

/** The further columns of a {@link SingleNote}. */
export const discussionColumns = ['x.discussion_id', 'x.starts_discussion'] as const

interface SingleValues extends Values {
  readonly id: number
  readonly discussionId: Buffer | undefined
}

const single = statement({
  name: 'note',
  build: (
    db,
    param: Params<SingleValues>,
    { inDiscussion, ...shape }: Shape & { readonly inDiscussion: boolean },
  ) =>
    authored(db, selectionIn(shape, param))
      .select(discussionColumns)
      .where('x.id', '=', param('id'))
      .$if(inDiscussion, (q) => q.where(sql<boolean>`x.discussion_id = ${param('discussionId')}::bytea`)),
})

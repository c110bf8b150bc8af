import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { type Param, prepare, type Prepared } from '#platform/db/prepare.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/http/errors.ts'
import { parseQuickActions } from '#planning/quick-actions/parse-quick-actions.ts'
import type { AuthorizedNoteableContainer } from './containers.ts'
import type { Caller } from './containers.ts'
import type { NoteableKey, NoteableKind, RowValues } from './kind.ts'
import { noteVisibleTo } from '#planning/notes/visible.ts'
import { lockMentioned } from './record-mentions.ts'

/** A noteable that a caller found. */
export interface Noteable extends NoteableRow {
  readonly kind: NoteableKind
  /** Its key in paths. */
  readonly key: NoteableKey
  readonly viewer: Viewer
  readonly container: AuthorizedNoteableContainer
}

interface NoteableRow {
  readonly id: number
  readonly iid: number | null
  /** Whether only members may comment. */
  readonly locked: boolean
  /**
   * Whether notes on it may name other noteables (for example one that mentions it), which some viewers may not see.
   */
  readonly namesOthers: boolean
}

/** A request whose path names a noteable. */
export type NoteableRequest = Caller & { readonly params: object }

/** The requested noteable, its container and the viewer. */
interface Requested extends Pick<Noteable, 'kind' | 'key' | 'viewer' | 'container'> {
  readonly caller: Caller
}

/**
 * Finds the noteable that a request's path names, in a small statement of its own.
 * @throws 404 `Issue Not Found`, also for one that the caller may not see
 */
export async function findNoteable(
  db: Db | Tx['db'],
  req: NoteableRequest,
  kind: NoteableKind,
): Promise<Noteable> {
  return load(db, requestedBy(req, kind), false)
}

/**
 * The same for writing notes on it: other writers wait until this transaction ends.
 * @param body the text to be written. The rows to which it or its commands refer are locked first.
 * @throws 404
 */
export async function lockNoteable(
  tx: Tx,
  req: NoteableRequest,
  kind: NoteableKind,
  body = '',
): Promise<Noteable> {
  const requested = requestedBy(req, kind)
  if (body !== '') {
    await lockCommanded(tx, req, kind, body)
    await lockMentioned(tx, req, requested.container.namespace, body)
  }
  return load(tx.db, requested, true)
}

/** Locks what the commands in a body name. */
async function lockCommanded(
  tx: Tx,
  caller: Caller,
  { quickActions }: NoteableKind,
  body: string,
): Promise<void> {
  if (quickActions === undefined) return
  const { commands } = parseQuickActions(body, quickActions.actions)
  if (commands.length > 0) await quickActions.lockNamed(tx, caller, commands)
}

/** A noteable, as far as awards on one of its notes need it. */
interface WithNote extends Pick<Noteable, 'id' | 'locked' | 'container'> {
  /** Null when there is no such note, or the caller may not see it. */
  readonly note: { readonly id: number; readonly system: boolean } | null
}

/**
 * Finds the noteable that a request's path names, with one of its notes, in one statement.
 * @throws 404 as {@link findNoteable} does
 */
export async function findWithNote(
  db: Db | Tx['db'],
  req: NoteableRequest,
  kind: NoteableKind,
  noteId: number,
): Promise<WithNote> {
  const { key, viewer, container } = requestedBy(req, kind)
  const values = { container: container.id, key, viewer: viewer.id ?? 0 }
  const { rows } = await sql<Pick<WithNote, 'id' | 'locked' | 'note'>>`
    select r.id, r.locked, case when x.id is not null then json_build_object('id', x.id, 'system', x.system) end as note
    from (${kind.rows.select(kind.rows.shape(req), values)}) as r
      left join notes x on x.noteable_id = r.id and x.id = ${noteId}
        and ${noteVisibleTo(viewer, container.may('readInternalNotes'))}`.execute(db)
  const [row] = rows
  if (row === undefined) throw notFound(kind.type)
  return { ...row, container }
}

function requestedBy(req: NoteableRequest, kind: NoteableKind): Requested {
  const key: unknown = Reflect.get(req.params, kind.key.param)
  if (typeof key !== 'number' && typeof key !== 'string') {
    throw new Error(`The path has no parameter ${kind.key.param}`)
  }
  return { kind, key, viewer: req.viewer, container: kind.container.authorized(req), caller: req }
}

async function load(
  db: Db | Tx['db'],
  { caller, ...requested }: Requested,
  lock: boolean,
): Promise<Noteable> {
  const { kind, key, viewer, container } = requested
  const find = statementFor(kind, kind.rows.shape(caller), lock)
  const [row] = await find(db, { container: container.id, key, viewer: viewer.id ?? 0 })
  if (row === undefined) throw notFound(kind.type)
  return { ...row, ...requested }
}

type Find = Prepared<RowValues, NoteableRow>

const statements = new WeakMap<NoteableKind, Map<string, Find>>()

/** The statement for a shape of a kind's rows, which is built and compiled once. */
function statementFor(kind: NoteableKind, shape: string, lock: boolean): Find {
  const ofKind = statements.get(kind) ?? new Map<string, Find>()
  statements.set(kind, ofKind)
  const name = `${shape}${lock ? ' locked' : ''}`
  const known =
    ofKind.get(name) ?? prepare((db, param: Param<RowValues>) => rowQuery(db, kind, shape, lock, param))
  ofKind.set(name, known)
  return known
}

function rowQuery(
  db: Db | Tx['db'],
  kind: NoteableKind,
  shape: string,
  lock: boolean,
  param: Param<RowValues>,
) {
  const values = { container: param('container'), key: param('key'), viewer: param('viewer') }
  // Not the stronger lock: other transactions may insert rows that refer to the noteable.
  const locked = lock ? sql` for no key update` : sql``
  const query = sql<NoteableRow>`
    select r.id, r.iid, r.locked, exists (
      select 1 from notes x where x.noteable_id = r.id and x.about_noteable_id is not null) as "namesOthers"
    from (${kind.rows.select(shape, values)}${locked}) as r`
  return { compile: () => query.compile(db) }
}

import type { FastifyRequest } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import { readParameters } from '#platform/http/parameters.ts'
import type { NestedResource, NestedValues } from '#platform/access/nested-resource.ts'
import { asThemselves, type Viewer } from '#platform/access/viewer.ts'
import { type Params, statement } from '#platform/db/statement.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { parseQuickActions } from '#planning/quick-actions/parse-quick-actions.ts'
import type { AuthorizedNoteableContainer } from './containers.ts'
import type { Caller } from './containers.ts'
import type { NoteableKey, NoteableKind, QuickActions } from './kind.ts'
import { locking } from './lock.ts'
import { lockMentioned } from './record-mentions.ts'

/** A noteable that a caller found. */
export interface Noteable extends Omit<NoteableRow, 'open'> {
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
  /** Whether the viewer sees it, even if they see no restricted ones. */
  readonly open: boolean
  /** Whether system notes on it name other noteables, which some viewers may not see. */
  readonly namesOthers: boolean
}

/** A request whose path names a noteable. */
export type NoteableRequest = Caller & Pick<FastifyRequest, 'server'> & { readonly params: object }

/** The requested noteable, its container and the viewer. */
interface RequestedNoteable extends Pick<Noteable, 'kind' | 'key' | 'viewer' | 'container'> {
  readonly caller: Caller
}

/**
 * The noteable that a request's path names. The statement that identified the caller has found it.
 * @throws 404 `Issue Not Found`, also for one that the caller may not see
 */
export async function noteableOf(req: NoteableRequest, kind: NoteableKind): Promise<Noteable> {
  const requested = requestedNoteable(req, kind)
  const { container, viewer } = requested
  if (kind.unrecorded === undefined) return assertVisible(container.nested, requested)
  const key = await kind.unrecorded.keyOf(req, requested.key)
  const values = { container: container.id, key, user: viewer.id ?? 0 }
  const [row = UNRECORDED] = await rowByKey(req.server.db, values, { kind })
  return assertVisible(row, { ...requested, key })
}

/** Stands for the row of a noteable without notes that has none yet. No note has its id. */
const UNRECORDED: NoteableRow = { id: 0, iid: null, locked: false, open: true, namesOthers: false }

/** The same, before a note on it is written or changed. A commit without a row is preserved, so that git keeps it meanwhile. */
export async function noteableToDiscuss(req: NoteableRequest, kind: NoteableKind): Promise<Noteable> {
  const found = await noteableOf(req, kind)
  await kind.unrecorded?.preserve(req, found.key)
  return found
}

/**
 * Locks a noteable for changes of the notes on it: other writers wait until this transaction ends. It gets its row if it has none.
 * @param body the text to be written, or several. The rows to which they or their commands refer are locked first.
 * @throws 404
 */
export async function lockNoteable(
  tx: Tx,
  req: Caller,
  found: Noteable,
  body: string | readonly string[] = '',
): Promise<Noteable> {
  await lockReferences(tx, req, found, [body].flat())
  return lockAndReread(tx, req, found)
}

/**
 * Locks a noteable for one more comment. Others may write comments at the same time, so this only keeps the noteable from being moved
 * or deleted. With commands in the body, it is the same as {@link lockNoteable}.
 * @throws 404
 */
export async function lockForComment(tx: Tx, req: Caller, found: Noteable, body: string): Promise<Noteable> {
  const { hasCommands } = await lockReferences(tx, req, found, [body])
  return hasCommands ? lockAndReread(tx, req, found) : holdAndReread(tx, req, found)
}

async function lockAndReread(tx: Tx, req: Caller, found: Noteable): Promise<Noteable> {
  const id = await ensureRow(tx, found)
  await lockRow(tx.db, { id })
  // Read again under the lock: it may have become locked, confidential or deleted.
  return reread(tx, req, found, id, 'now')
}

const lockRow = locking<{ id: number }>('change', (param) => param('id'))

async function holdAndReread(tx: Tx, req: Caller, found: Noteable): Promise<Noteable> {
  return reread(tx, req, found, await ensureRow(tx, found), 'the end')
}

/** The id of a noteable, which gets its row if it has none. */
const ensureRow = async (tx: Tx, found: Noteable): Promise<number> =>
  found.id === UNRECORDED.id && found.kind.unrecorded !== undefined
    ? found.kind.unrecorded.insert(tx, found)
    : found.id

async function reread(
  tx: Tx,
  caller: Caller,
  { kind, key, viewer, container }: Noteable,
  id: number,
  until: Shape['until'],
): Promise<Noteable> {
  const { namespace_id: namespace } = container.namespace
  const values = { id, namespace, container: container.id, key, user: viewer.id ?? 0 }
  const [row] = await rowById(tx.db, values, { kind, until })
  return assertVisible(row, { kind, key, viewer, container, caller })
}

/** Locks the rows that texts and the commands in them name: of all texts at once, because locks have an order. */
async function lockReferences(tx: Tx, req: Caller, found: Noteable, texts: readonly string[]) {
  const filled = texts.filter((text) => text !== '')
  if (filled.length === 0) return { hasCommands: false }
  const hasCommands = await lockCommandReferences(tx, req, found, filled)
  await lockMentioned(tx, req, found.container.namespace, filled)
  return { hasCommands }
}

/** The actions of a noteable's kind. If the commands in a body need something from git, they have it. No transaction is open. */
export async function actionsFor(
  req: Caller,
  { kind: { quickActions }, key }: Noteable,
  body: string,
): Promise<QuickActions | undefined> {
  if (quickActions?.informed === undefined) return quickActions
  const { commands } = parseQuickActions(body, quickActions.actions)
  return commands.length === 0
    ? quickActions
    : ((await quickActions.informed(req, key, commands)) ?? quickActions)
}

/** Locks the rows that the commands in texts name. @returns whether there are commands */
async function lockCommandReferences(
  tx: Tx,
  caller: Caller,
  { kind: { quickActions }, key }: Noteable,
  texts: readonly string[],
): Promise<boolean> {
  if (quickActions === undefined) return false
  const commands = texts.flatMap((text) => parseQuickActions(text, quickActions.actions).commands)
  if (commands.length > 0) await quickActions.lockNamed(tx, caller, commands, key)
  return commands.length > 0
}

function requestedNoteable(req: NoteableRequest, kind: NoteableKind): RequestedNoteable {
  const key: unknown = Reflect.get(req.params, kind.key.param)
  if (typeof key !== 'number' && typeof key !== 'string') {
    throw new Error(`The path has no parameter ${kind.key.param}`)
  }
  return {
    kind,
    key,
    viewer: asThemselves(req.viewer),
    container: kind.container.authorized(req),
    caller: req,
  }
}

/** @throws 404 where there is no row, and where the caller may not see it */
function assertVisible(row: unknown, { caller, ...requested }: RequestedNoteable): Noteable {
  const { kind } = requested
  if (!isNoteableRow(row) || !(row.open || kind.rows.seesRestricted(caller))) throw notFound(kind.type)
  return { ...row, ...requested }
}

function isNoteableRow(row: unknown): row is NoteableRow {
  return typeof row === 'object' && row !== null && 'id' in row && 'namesOthers' in row
}

/** The values of the statement that reads a locked noteable. */
interface RowByIdValues extends RowByKeyValues {
  readonly id: number
  /** The id of the namespace in which it was found. */
  readonly namespace: number
}

/** The values of the statement that finds one. */
interface RowByKeyValues {
  readonly container: number
  readonly key: NoteableKey
  /** The id of the user; 0 for anonymous callers. */
  readonly user: number
}

const nestedNoteables = new WeakMap<NoteableKind, NestedResource>()

/** Declares that a path names a noteable of a kind. The statement that identifies the caller then finds it. The same object for a kind each time. */
export function nestedNoteable(kind: NoteableKind): NestedResource {
  const known = nestedNoteables.get(kind) ?? nestedIn(kind)
  nestedNoteables.set(kind, known)
  return known
}

function nestedIn(kind: NoteableKind): NestedResource {
  const { param, schema } = kind.key
  return {
    param,
    keyOf(parameter) {
      const read = readParameters({ properties: { [param]: schema } }, { [param]: parameter })
      const key = 'value' in read ? read.value[param] : undefined
      return typeof key === 'number' || typeof key === 'string' ? key : null
    },
    select: (values) => rowQuery(kind, values),
  }
}

/** Finds a noteable that {@link nestedNoteable} did not find. */
const rowByKey = statement({
  name: 'noteable',
  build: (_, param: Params<RowByKeyValues>, { kind }: Pick<Shape, 'kind'>) => rowQuery(kind, valuesOf(param)),
})

interface Shape {
  readonly kind: NoteableKind
  /** `the end` also keeps the row from being moved or deleted until the transaction ends; `now` is for a row that is locked already. */
  readonly until: 'now' | 'the end'
}

const rowById = statement({
  name: 'noteable by id',
  build: (_, param: Params<RowByIdValues>, { kind, until }: Shape) => {
    const id = param('id')
    // This waits for nothing but a deletion, which moves the row elsewhere: PostgreSQL then asks again where it is.
    const kept = sql`(select id from noteables where id = ${id} and namespace_id = ${param('namespace')} for key share)`
    return sql<NoteableRow>`${rowQuery(kind, valuesOf(param))} where r.id = ${until === 'now' ? id : kept}`
  },
})

const valuesOf = (param: Params<RowByKeyValues>) => ({
  container: param('container'),
  key: param('key'),
  user: param('user'),
})

function rowQuery(kind: NoteableKind, values: NestedValues): RawBuilder<NoteableRow> {
  return sql<NoteableRow>`
    select r.id, r.iid, r.locked, r.open, exists (
      select 1 from notes x where x.noteable_id = r.id and x.about_noteable_id is not null) as "namesOthers"
    from (${kind.rows.select(values)}) as r`
}

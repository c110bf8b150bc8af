import type { FastifyRequest } from 'fastify'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/http/errors.ts'
import {
  built,
  type BuiltKind,
  type NoteableParam,
  type NoteableRow,
  type Sight,
  type Writer,
} from './built.ts'
import { noteables } from './noteables.ts'

/** Something that has notes, as the caller found it. */
export interface Noteable extends NoteableRow, Sight {
  readonly kind: BuiltKind
  /** As paths name it: its iid or id. */
  readonly number: number
}

/** A request whose path names a noteable. */
export type NoteableRequest = Pick<FastifyRequest, 'viewer' | 'project'> & {
  readonly params: Readonly<Record<NoteableParam, number>>
}

/**
 * What the path of a request names, in a small statement of its own.
 * @throws 404 `Issue Not Found`, also for one that the caller may not see
 */
export async function findNoteable(
  db: Db | Tx['db'],
  req: NoteableRequest,
  kind: BuiltKind,
): Promise<Noteable> {
  const sight = sightOf(req)
  const number = numberIn(req, kind)
  return found(kind, sight, number, await built[kind].find(db, sight, number))
}

/**
 * The same, to write notes on it: other writers wait until this transaction ends.
 * @param body what is to be written, whose references are locked first.
 * @throws 404
 */
export async function lockNoteable(
  tx: Tx,
  req: NoteableRequest & Writer,
  kind: BuiltKind,
  body = '',
): Promise<Noteable> {
  const sight = sightOf(req)
  const number = numberIn(req, kind)
  if (body !== '') await built[kind].lockReferred(tx, req, sight, body)
  return found(kind, sight, number, await built[kind].lock(tx, sight, number))
}

const sightOf = (req: NoteableRequest): Sight => ({ viewer: req.viewer, door: req.project() })
const numberIn = (req: NoteableRequest, kind: BuiltKind) => req.params[noteables[kind].param]

function found(kind: BuiltKind, sight: Sight, number: number, row: NoteableRow | undefined): Noteable {
  if (row === undefined) throw notFound(noteables[kind].type)
  return { ...row, ...sight, kind, number }
}

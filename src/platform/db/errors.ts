import { DatabaseError } from 'pg'
import { knownTexts } from '#platform/known-texts.ts'
import { uniqueValues } from './unique-values.ts'

/** SQLSTATE classes and codes of a server that is stopping, down or starting. */
const DOWN = /^(08|57P0[1-3]|58|53[0-9A-Z]{3}|25P03)/
/** The messages with which `pg` and the socket say the same, without an SQLSTATE. */
const DOWN_TEXT =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after/
const SOCKET = new Set<unknown>(['connect', 'read', 'write', 'getaddrinfo'])
const DOWN_CODES = new Set<unknown>([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
])

/** All connections of the pool stayed in use for the longest time that callers wait for one. */
const POOL_EXHAUSTED = 'timeout exceeded when trying to connect'

/** Whether PostgreSQL could not be reached, so that the client should try again. */
export function isDatabaseDown(error: unknown): boolean {
  // A fatal error ends or refuses the connection, for example when a database is closed for maintenance.
  if (error instanceof DatabaseError) return DOWN.test(error.code ?? '') || error.severity === 'FATAL'
  if (!(error instanceof Error)) return false
  if ('syscall' in error && SOCKET.has(error.syscall) && 'code' in error && DOWN_CODES.has(error.code))
    return true
  return DOWN_TEXT.test(error.message) || (error.cause !== undefined && isDatabaseDown(error.cause))
}

/** Whether PostgreSQL refused a statement and keeps the connection. */
export const isRefusedStatement = (error: unknown): boolean =>
  error instanceof DatabaseError && error.severity === 'ERROR'

/** Temporary refusals, by SQLSTATE: the reason that a 503 gives. */
const PASSING: Readonly<Record<string, string>> = {
  '57014': 'a statement took too long',
  '55P03': 'another change holds what this one needs',
  '40001': 'other changes were in the way',
  '40P01': 'other changes were in the way',
  '25P03': 'a transaction was idle for too long',
  '25P04': 'a transaction took too long',
  '53100': 'the database has no space left on its disk',
  '53200': 'the database has no memory left',
  '53300': 'the database takes no more connections',
}

/** Why a failed request may succeed later; undefined when it would not. */
export function passingReason(error: unknown): string | undefined {
  if (error instanceof InTheWay) return PASSING['40001']
  if (error instanceof TooManyAtOnce) return error.message
  if (error instanceof DatabaseError) {
    const known = PASSING[error.code ?? '']
    if (known !== undefined) return known
  }
  if (error instanceof Error && error.message === POOL_EXHAUSTED) return 'all database connections are in use'
  return isDatabaseDown(error) ? 'the database is not reachable' : undefined
}

/** Thrown inside a transaction that found its data changed by others. The transaction has to begin again. */
export class InTheWay extends Error {
  override readonly name = 'InTheWay'
}

/** Thrown when a caller has more statements at once than their share of the connections can take. */
export class TooManyAtOnce extends Error {
  override readonly name = 'TooManyAtOnce'
  constructor() {
    super('too many of your requests are being answered at once')
  }
}

/**
 * SQLSTATE of a plan that another node's migration made invalid. PostgreSQL also uses it for much that it does not
 * support.
 */
const NOT_SUPPORTED = '0A000'

/** Whether a kept statement must be prepared again because the columns of its result have changed. */
export function isStalePlan(error: unknown): boolean {
  return (
    error instanceof DatabaseError &&
    error.code === NOT_SUPPORTED &&
    error.routine === 'RevalidateCachedQuery'
  )
}

/** Serialization failure, deadlock, and a row that was deleted while this transaction referred to it. */
const ANOTHER_RUN = new Set<unknown>(['40001', '40P01', '23503'])

/** Whether a transaction with this error certainly changed nothing and may succeed when it runs again. */
export function mayRunAgain(error: unknown): boolean {
  if (error instanceof InTheWay || isStalePlan(error)) return true
  return error instanceof DatabaseError && ANOTHER_RUN.has(error.code)
}

/** Why a transaction ran again, in one word for metrics. */
export function collisionOf(error: unknown): 'deadlock' | 'serialization' | 'reference' | 'other' {
  if (!(error instanceof DatabaseError)) return 'other'
  if (error.code === '40P01') return 'deadlock'
  if (error.code === '40001') return 'serialization'
  return error.code === '23503' ? 'reference' : 'other'
}

const statements = new WeakMap<Error, string>()

/** Remembers which statement an error is about, because errors of PostgreSQL do not say. */
export function noteStatement(error: unknown, text: string): void {
  if (error instanceof Error) statements.set(error, text)
}

/** The text of the statement that failed with this error, for logs. */
export function statementOf(error: unknown): string | undefined {
  return error instanceof Error ? statements.get(error) : undefined
}

/** What PostgreSQL says of a deadlock that it ended, for logs; undefined for another error. */
export function deadlockIn(
  error: unknown,
): { readonly detail: string; readonly where: string; readonly statement: string } | undefined {
  if (!(error instanceof DatabaseError) || collisionOf(error) !== 'deadlock') return undefined
  const { detail = '', where = '' } = error
  return { detail, where, statement: statementOf(error) ?? '' }
}

export type Refusal =
  | { readonly kind: 'taken'; readonly conflict: true; readonly text: string }
  | { readonly kind: 'taken'; readonly conflict: false; readonly attributes: Record<string, string[]> }
  /** The row refers to one that was deleted meanwhile, and further tries did not help. */
  | { readonly kind: 'gone' }
  /** A value that PostgreSQL cannot hold. */
  | { readonly kind: 'unreadable' }

/** What PostgreSQL's refusal of a statement means to the client that sent the values; undefined when it is a defect. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof DatabaseError)) return undefined
  if (error.code === '23505') {
    const known = uniqueValues().get(error.constraint ?? '')
    if (known === undefined) return undefined
    if (known.conflict !== undefined) return { kind: 'taken', conflict: true, text: known.conflict }
    const names = known.also === undefined ? [known.attribute] : [known.attribute, known.also]
    const attributes = Object.fromEntries(names.map((name) => [name, [known.text ?? knownTexts.taken]]))
    return { kind: 'taken', conflict: false, attributes }
  }
  if (error.code === '23503') return { kind: 'gone' }
  return error.code?.startsWith('22') ? { kind: 'unreadable' } : undefined
}

import { DatabaseError } from 'pg'

/** SQLSTATE classes and codes of a server that is going, gone or coming. */
const DOWN = /^(08|57P0[1-3]|58|53[0-9A-Z]{3}|25P03)/
/** How `pg` and the socket say the same, without an SQLSTATE. */
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

/** Whether a failure means that PostgreSQL could not be reached, so that trying again is the right advice. */
export function isDatabaseDown(error: unknown): boolean {
  // What is fatal ends the connection or refuses it: a database that is closed for maintenance, say.
  if (error instanceof DatabaseError) return DOWN.test(error.code ?? '') || error.severity === 'FATAL'
  if (!(error instanceof Error)) return false
  if ('syscall' in error && SOCKET.has(error.syscall) && 'code' in error && DOWN_CODES.has(error.code))
    return true
  return DOWN_TEXT.test(error.message) || (error.cause !== undefined && isDatabaseDown(error.cause))
}

/** What the record says when a value is already there, by the name of the unique constraint. */
const TAKEN: Readonly<
  Record<string, { readonly conflict?: string; readonly attribute: string; readonly also?: string }>
> = {
  users_username_key: { attribute: 'username', conflict: 'Username has already been taken' },
  users_email_key: { attribute: 'email', conflict: 'Email has already been taken' },
  namespaces_full_path_key: { attribute: 'path' },
  namespaces_project_name_key: { attribute: 'project_namespace.name', also: 'name' },
  members_user_key: { attribute: 'user', conflict: 'Member already exists' },
  shares_group_key: { attribute: 'shared_with_group', conflict: 'The group is already shared with this one' },
  labels_name_key: { attribute: 'title', conflict: 'Label already exists' },
  milestones_title_key: { attribute: 'title' },
  topics_name_key: { attribute: 'name' },
  issues_iid_key: { attribute: 'iid' },
  issue_links_pair_key: { attribute: 'target', conflict: 'Issue(s) already assigned' },
}

export type Refusal =
  | { readonly kind: 'taken'; readonly conflict: true; readonly text: string }
  | { readonly kind: 'taken'; readonly conflict: false; readonly attributes: Record<string, string[]> }
  /** Another transaction was in the way: the same request may succeed now. */
  | { readonly kind: 'retry' }
  /** A value that PostgreSQL cannot hold. */
  | { readonly kind: 'unreadable' }

/** What PostgreSQL's refusal of a statement means to whoever sent the values; undefined when it means a defect. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof DatabaseError)) return undefined
  if (error.code === '23505') {
    const known = TAKEN[error.constraint ?? '']
    if (known === undefined) return undefined
    if (known.conflict !== undefined) return { kind: 'taken', conflict: true, text: known.conflict }
    const names = known.also === undefined ? [known.attribute] : [known.attribute, known.also]
    const attributes = Object.fromEntries(names.map((name) => [name, ['has already been taken']]))
    return { kind: 'taken', conflict: false, attributes }
  }
  // What a row refers to was deleted meanwhile; another look says so.
  if (error.code === '23503') return { kind: 'retry' }
  if (error.code === '40001' || error.code === '40P01' || error.code === '57014') return { kind: 'retry' }
  return error.code?.startsWith('22') ? { kind: 'unreadable' } : undefined
}

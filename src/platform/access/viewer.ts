import type { Operand, Params } from '#platform/db/statement.ts'

/** The caller. Anonymous callers have no id. */
export interface Viewer {
  readonly id: number | null
  readonly admin: boolean
  readonly external: boolean
  /** The day of the request, in UTC. Memberships and shares end on their day. */
  readonly today: string
  /**
   * The ids of the groups that refuse this caller's address. Administrators may enter nevertheless; see visible.ts
   * and authorize.ts. Empty for viewers who do not ask from an address.
   */
  readonly closed: readonly number[]
  /** Whether the statement has the grants of the caller as `granted`: see `decidingOnce` in visible.ts. */
  readonly isDecided?: true
}

/** A {@link Viewer} in SQL: what changes with each request may be a parameter of the statement. */
export interface SqlViewer extends Pick<Viewer, 'admin' | 'external' | 'isDecided'> {
  readonly id: Operand<number> | null
  readonly today: Operand<string>
  readonly closed: Operand<readonly number[]>
}

/** What the text of a statement depends on that asks what a viewer may see. */
export interface ViewerShape extends Pick<Viewer, 'admin' | 'external'> {
  readonly signedIn: boolean
  /** Whether groups refuse their address. */
  readonly isRefused: boolean
}

/** The values of such a statement. */
export interface ViewerValues extends Pick<Viewer, 'today' | 'closed'> {
  readonly viewer: number
}

export const shapeOfViewer = ({ id, admin, external, closed }: Viewer): ViewerShape => ({
  admin,
  external,
  signedIn: id !== null,
  isRefused: closed.length > 0,
})

export const valuesOfViewer = ({ id, today, closed }: Viewer): ViewerValues => ({
  viewer: id ?? 0,
  today,
  closed,
})

/** The viewer that a statement is built for. */
export const viewerIn = (
  { admin, external, signedIn, isRefused }: ViewerShape,
  param: Params<ViewerValues>,
): SqlViewer => ({
  admin,
  external,
  id: signedIn ? param('viewer') : null,
  today: param('today'),
  closed: isRefused ? param('closed') : [],
})

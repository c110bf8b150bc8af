import type { Operand, Params } from '#platform/db/statement.ts'

/** A job that acts for the person who started it, by its token. */
export interface ActingJob {
  readonly id: number
  readonly projectId: number
  /** The path of its project, without those of the groups above. */
  readonly path: string
  /** Of the node of its project. */
  readonly traversalIds: readonly number[]
  /** Whether the person is an administrator, which counts where the job is let in. They are none for anything else. */
  readonly isOfAdmin: boolean
  /** Whether other projects let it in only by their allow-lists, whatever they say. */
  readonly isConfined: boolean
}

/** A deploy token, which acts for nobody. Only routes that take one have a viewer with it. */
export interface ActingDeployToken {
  readonly id: number
  /** Of the project or group that it belongs to. */
  readonly namespaceId: number
}

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
  /** The job that acts for them; see job-reach.ts. */
  readonly job?: ActingJob | undefined
  /** The deploy token that was sent; see job-reach.ts. The viewer has no id. */
  readonly deployToken?: ActingDeployToken | undefined
  /** Whether the statement has the grants of the caller as `granted`: see `decidingOnce` in visible.ts. */
  readonly isDecided?: true
}

/**
 * A viewer for what people see as themselves, whatever their rights in its container, such as their own confidential issues. A job acts by
 * rights alone: otherwise it would reach into projects that do not let it in.
 */
export const asThemselves = (viewer: Viewer): Viewer =>
  viewer.job === undefined ? viewer : { ...viewer, id: null, admin: false }

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

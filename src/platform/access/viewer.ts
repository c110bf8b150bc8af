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

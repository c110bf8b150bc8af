/** Who is asking. Anonymous callers have no id. */
export interface Viewer {
  readonly id: number | null
  readonly admin: boolean
  readonly external: boolean
  /** The day of the request, in UTC: memberships and shares end on their day. */
  readonly today: string
  /**
   * The ids of the groups that take no requests from the address that this one came from. Administrators get in all the
   * same; see visible.ts and doors.ts. Empty for who is not asking from anywhere.
   */
  readonly closed: readonly number[]
}

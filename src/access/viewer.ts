/** Who is asking. Anonymous callers have no id. */
export interface Viewer {
  readonly id: number | null
  readonly admin: boolean
  readonly external: boolean
  /** The day of the request, in UTC: memberships and shares end on their day. */
  readonly today: string
}

/** What a link to something needs. */
export interface Target {
  /** The path of its page, as in its `web_url`. */
  readonly page: string
  readonly title: string
  /** How it is named in its container: `#12`. Null where that is as people write it. */
  readonly reference: string | null
}

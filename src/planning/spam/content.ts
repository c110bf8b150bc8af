/** What somebody is about to publish. */
export interface Content {
  /** As answers call it: `Your issue has been recognized as spam …`. */
  readonly noun: string
  /** As spam logs call it. */
  readonly type: string
  readonly title: string | null
  readonly text: string
}

/** Everything in one text, as services read it. */
export const wholeOf = ({ title, text }: Content): string => (title === null ? text : `${title}\n\n${text}`)

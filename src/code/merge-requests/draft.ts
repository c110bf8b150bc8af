/** What the title of a draft begins with. */
const MARK = /^\s*(?:\[draft\]|\(draft\)|draft:)\s*/i

/** Whether a merge request with this title is a draft, which nobody can merge. */
export const isDraft = (title: string): boolean => MARK.test(title)

/** The title without the mark of a draft. */
export const withoutDraft = (title: string): string => title.replace(MARK, '')

/** The title with it. */
export const asDraft = (title: string): string => (isDraft(title) ? title : `Draft: ${title}`)

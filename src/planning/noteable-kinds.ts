import { issueNoteable } from './issues/noteable.ts'
import { registerNoteable } from './noteables/kinds.ts'

/** All kinds of noteables that the program has: merge requests, snippets, epics and wiki pages will each add theirs. */
const kinds = [issueNoteable] as const

/** Makes them known, once, before a server is built. */
export function registerNoteables(): void {
  for (const kind of kinds) registerNoteable(kind)
}

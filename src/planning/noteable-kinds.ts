import { issueNoteable } from './issues/noteable.ts'
import { registerNoteable } from './noteables/kinds.ts'

// All kinds of noteables that the program has: merge requests, snippets, epics and wiki pages are to follow.
registerNoteable(issueNoteable)

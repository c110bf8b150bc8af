import { resolveInProjects } from '#planning/references/resolve-in-projects.ts'
import { mergeRequestVisibleTo } from './visible.ts'

/** The merge requests that references in a text lead to, as far as the reader may see them. */
export const resolveMergeRequests = resolveInProjects({
  kind: 'merge_request',
  table: 'merge_requests',
  alias: 'mr',
  number: 'iid',
  sees: (reader) => mergeRequestVisibleTo(reader),
})

import { resolveInProjects } from '#planning/references/resolve-in-projects.ts'
import { projectVisibleTo } from './visible.ts'

/** The snippets of projects that references in a text lead to, as far as the reader may see them. */
export const resolveSnippets = resolveInProjects({
  kind: 'snippet',
  table: 'snippets',
  alias: 's',
  number: 'id',
  sees: (reader) => projectVisibleTo(reader),
})

import { integer } from '#platform/http/schema.ts'
import type { ProjectExtension, ValuesOf } from '#tenancy/projects/extension-points.ts'
import { openIssuesOf } from './count-issues.ts'

const fields = { open_issues_count: integer() }

declare module '#tenancy/projects/extension-points.ts' {
  interface ExtensionColumns extends ValuesOf<typeof fields> {}
  interface ExtensionFields extends ValuesOf<typeof fields> {}
}

/** What issues add to projects. */
export const issuesOfProjects: ProjectExtension = {
  fields,
  columns: (viewer, has) => [openIssuesOf(viewer, has).as('open_issues_count')],
  present: ({ open_issues_count }) => ({ open_issues_count }),
}

import type { Feature } from '#platform/feature.ts'
import { projectExtensions } from '#tenancy/projects/extension-points.ts'
import { settleDefaultBranch } from './change-default-branch.ts'
import { defaultBranchOfProjects } from './project-extension.ts'

/** The choice of the default branch of a project. */
export const defaultBranch: Feature = {
  extensions: [projectExtensions.with(defaultBranchOfProjects)],
  tasks: [settleDefaultBranch],
}

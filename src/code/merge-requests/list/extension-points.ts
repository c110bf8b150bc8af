import type { Viewer } from '#platform/access/viewer.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { ItemFilter } from '#planning/noteables/list/item-filter.ts'

/** What a request asks of the deployments of merge requests. */
export interface DeployedFilter {
  /** The name of an environment. */
  readonly environment?: string | undefined
  readonly deployed_before?: string | undefined
  readonly deployed_after?: string | undefined
}

/** How the merge requests (`i`) that were deployed are found, as far as the viewer may know of it. A filter names at least one of its fields. */
export const deployedFilters = new ExtensionPoint<(filter: DeployedFilter, viewer: Viewer) => ItemFilter>(
  'the list of filters by deployments',
)

import { archiveParts } from '#code/archives/parts/all.ts'
import { recordSteps } from '#code/repositories/record-changes.ts'
import type { Feature } from '#platform/feature.ts'
import { scheduled } from '#platform/jobs/schedule.ts'
import { releaseAbilities } from './abilities.ts'
import { releaseAddressRoutes } from './address-routes.ts'
import { archivedReleases } from './archive-part.ts'
import { besideTags } from './beside-tags.ts'
import { collectDueEvidence } from './collect-due.ts'
import { EXISTS } from './create-release.ts'
import { auditedReleases, releaseFacts } from './facts.ts'
import { followTags } from './follow-tags.ts'
import { groupReleaseRoutes } from './group-routes.ts'
import { releaseLinkRoutes } from './link-routes.ts'
import { releaseUrl } from './addresses.ts'
import { releaseRoutes } from './routes.ts'

/** Releases: which versions of a project there are, what is new in them, and where to get them. */
export const releases: Feature = {
  areas: [
    {
      name: 'Releases',
      about: 'Which versions of a project there are, what is new in them, and where to get them.',
      segments: ['releases'],
    },
  ],
  routes: [releaseRoutes, releaseLinkRoutes, releaseAddressRoutes, groupReleaseRoutes],
  rewrites: [releaseUrl],
  abilities: releaseAbilities,
  facts: releaseFacts,
  audited: auditedReleases,
  tasks: [collectDueEvidence],
  schedule: [scheduled('* * * * *', collectDueEvidence, {})],
  extensions: [besideTags, recordSteps.with(followTags), archiveParts.with(archivedReleases)],
  unique: {
    releases_tag_key: { attribute: 'tag', conflict: EXISTS },
    release_links_name_key: { attribute: 'name' },
    release_links_url_key: { attribute: 'url' },
    release_links_filepath_key: { attribute: 'filepath' },
  },
}

import {
  type AuditedFacts,
  changeEventNames,
  changeEvents,
  event,
  eventForEach,
  namedTarget,
} from '#platform/facts/audited.ts'
import type { FieldChanges } from '#platform/facts/changes.ts'
import { fact, type DetailsOf } from '#platform/facts/definitions.ts'

interface BadgeName {
  /** The name of the badge, if it has one. */
  readonly badge: string | null
}

interface BadgeDetails extends BadgeName {
  readonly link_url: string
  readonly image_url: string
}

export const badgeFacts = {
  'badge created': fact<BadgeDetails>(),
  'badge changed': fact<BadgeName & FieldChanges>(),
  'badge deleted': fact<BadgeDetails>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof badgeFacts> {}
}

const badgeNameOf = ({ badge }: BadgeName) => badge ?? 'unnamed'
const urlsOf = ({ image_url, link_url }: BadgeDetails) => `the picture ${image_url} and the link ${link_url}`

export const auditedBadge: AuditedFacts = {
  'badge created': event('badge_created', ({ target, details }) => ({
    ...namedTarget(target, badgeNameOf(details)),
    details: { add: 'badge', custom_message: `Created badge with ${urlsOf(details)}` },
  })),
  'badge changed': eventForEach(changeEventNames('badge', {}), ({ target, details }) =>
    changeEvents('badge', {}, details, namedTarget(target, badgeNameOf(details))),
  ),
  'badge deleted': event('badge_deleted', ({ target, details }) => ({
    ...namedTarget(target, badgeNameOf(details)),
    details: { remove: 'badge', custom_message: `Deleted badge with ${urlsOf(details)}` },
  })),
}

import { inFeature } from '#platform/access/features.ts'
import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import { administrators, atLeast, readers, signedIn, unlessArchived } from '#platform/access/standing.ts'

export const issueAbilities = {
  project: {
    read_issue: inFeature('issues', readers),
    /** Else only one's own and those one is assigned to: planning/issues/visible.ts. */
    read_confidential_issue: inFeature('issues', atLeast('planner')),
    create_issue: inFeature('issues', unlessArchived(signedIn)),
    /** Members may plan an issue while they open it (labels, assignees, a milestone …); others may only describe it. */
    plan_new_issue: inFeature('issues', unlessArchived(atLeast('guest'))),
    /** One's own and those one is assigned to; those of others take `admin_issue`: planning/issues/policy.ts. */
    edit_issue: inFeature('issues', unlessArchived(signedIn)),
    admin_issue: inFeature('issues', unlessArchived(atLeast('planner'))),
    /** On both sides of the link. */
    link_issue: inFeature('issues', unlessArchived(atLeast('guest'))),
    delete_issue: inFeature('issues', unlessArchived(atLeast('owner'))),
    subscribe_issue: inFeature('issues', signedIn),
    read_issue_user_agent: inFeature('issues', administrators),
    create_issue_note: inFeature('issues', unlessArchived(signedIn)),
    award_issue_emoji: inFeature('issues', unlessArchived(signedIn)),
  },
  group: {
    read_issue: readers,
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof issueAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof issueAbilities.group> {}
}

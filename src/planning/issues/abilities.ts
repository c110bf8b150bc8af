import { inProjectFeature } from '#platform/access/project-feature-rules.ts'
import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import {
  administrators,
  atLeast,
  readers,
  signedIn,
  unlessArchived,
} from '#platform/access/access-context.ts'

export const issueAbilities = {
  project: {
    read_issue: inProjectFeature('issues', readers),
    /** Others read only their own and those assigned to them: planning/issues/visible.ts. */
    read_confidential_issue: inProjectFeature('issues', atLeast('planner')),
    create_issue: inProjectFeature('issues', unlessArchived(signedIn)),
    /** Members may plan an issue while they open it (labels, assignees, a milestone …); others may only describe it. */
    plan_new_issue: inProjectFeature('issues', unlessArchived(atLeast('guest'))),
    /**
     * The user's own issues and those assigned to them. Other people's need `admin_issue`: planning/issues/policy.ts.
     */
    edit_issue: inProjectFeature('issues', unlessArchived(signedIn)),
    admin_issue: inProjectFeature('issues', unlessArchived(atLeast('planner'))),
    /** Needed on both sides of the link. */
    link_issue: inProjectFeature('issues', unlessArchived(atLeast('guest'))),
    delete_issue: inProjectFeature('issues', unlessArchived(atLeast('owner'))),
    subscribe_issue: inProjectFeature('issues', signedIn),
    read_issue_user_agent: inProjectFeature('issues', administrators),
    create_issue_note: inProjectFeature('issues', unlessArchived(signedIn)),
    award_issue_emoji: inProjectFeature('issues', unlessArchived(signedIn)),
  },
  group: {
    read_issue: readers,
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof issueAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof issueAbilities.group> {}
}

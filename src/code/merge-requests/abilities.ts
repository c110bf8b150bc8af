import type { Abilities, RulesOf } from '#platform/access/abilities.ts'
import {
  atLeast,
  both,
  readers,
  type Rule,
  signedIn,
  unlessArchived,
} from '#platform/access/access-context.ts'
import { inProjectFeature } from '#platform/access/project-feature-rules.ts'
import { codeReaders } from '#code/repositories/abilities.ts'

const inOpenFeatures = (rule: Rule): Rule =>
  inProjectFeature('merge_requests', inProjectFeature('repository', rule))
/** Merge requests show code, so whoever may not read the code sees none. */
const inMergeRequests = (rule: Rule): Rule => inOpenFeatures(both(codeReaders, rule))

export const mergeRequestAbilities = {
  project: {
    read_merge_request: inMergeRequests(readers),
    /** From a branch of the project; from a fork it takes the rights on the fork. */
    create_merge_request: inMergeRequests(unlessArchived(signedIn)),
    /** One's own and those assigned to one. Other people's need `admin_merge_request`: policy.ts. */
    edit_merge_request: inMergeRequests(unlessArchived(signedIn)),
    admin_merge_request: inOpenFeatures(unlessArchived(atLeast('developer'))),
    /** The target branch decides who may: merge/merge-actor.ts. */
    merge_merge_request: inMergeRequests(unlessArchived(signedIn)),
    delete_merge_request: inOpenFeatures(unlessArchived(atLeast('owner'))),
    subscribe_merge_request: inMergeRequests(signedIn),
    create_merge_request_note: inMergeRequests(unlessArchived(signedIn)),
    award_merge_request_emoji: inMergeRequests(unlessArchived(signedIn)),
  },
  group: {
    read_merge_request: readers,
  },
} satisfies Abilities

declare module '#platform/access/abilities.ts' {
  interface ProjectAbilities extends RulesOf<typeof mergeRequestAbilities.project> {}
  interface GroupAbilities extends RulesOf<typeof mergeRequestAbilities.group> {}
}

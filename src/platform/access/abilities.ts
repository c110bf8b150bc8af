import { inAnyFeature, inFeature, planning } from './features.ts'
import { administrators, atLeast, readers, roles, signedIn, unlessArchived, type Rule } from './standing.ts'

/**
 * Who may do what: the whole policy. A route names one of these (platform/access/route-access.ts), and nothing else
 * decides. Rules that need the object itself (an author edits their own note) live in the feature's policy.ts.
 */

/** Labels and milestones: open where issues or merge requests are. */
const planned = (rule: Rule): Rule => inAnyFeature(planning, rule)

export const projectAbilities = {
  read_project: readers,
  /** An archived project takes only being unarchived: tenancy/projects/update-project.ts. */
  update_project: atLeast('maintainer'),
  /** Path, visibility and the like. */
  admin_project: unlessArchived(atLeast('owner')),
  archive_project: atLeast('owner'),
  transfer_project: unlessArchived(atLeast('owner')),
  delete_project: atLeast('owner'),
  star_project: signedIn,
  read_member: readers,
  admin_member: unlessArchived(atLeast('maintainer')),
  read_project_storage: administrators,
  share_project: unlessArchived(atLeast('maintainer')),
  read_access_token: atLeast('maintainer'),
  create_access_token: unlessArchived(atLeast('maintainer')),
  /** Rotate and revoke: what ends a secret stays possible while archived. */
  end_access_token: atLeast('maintainer'),
  read_label: planned(readers),
  admin_label: planned(unlessArchived(atLeast('planner'))),
  subscribe_label: planned(signedIn),
  promote_label: planned(unlessArchived(atLeast('planner'))),
  read_milestone: planned(readers),
  admin_milestone: planned(unlessArchived(atLeast('planner'))),
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
  /** Else only one's own: planning/notes/visible.ts. */
  read_internal_note: atLeast('planner'),
  /** Notes of others; one's own take only being allowed to write one. */
  admin_note: unlessArchived(atLeast('maintainer')),
  award_issue_emoji: inFeature('issues', unlessArchived(signedIn)),
  /** Developers read the events of what they did themselves; the next ability opens those of others. */
  read_audit_events: atLeast('developer'),
  read_audit_events_of_others: atLeast('maintainer'),
  /** Say when something was written, as imports do. */
  set_created_at: atLeast('owner'),
} satisfies Record<string, Rule>

export const groupAbilities = {
  read_group: readers,
  update_group: unlessArchived(atLeast('owner')),
  archive_group: atLeast('owner'),
  transfer_group: unlessArchived(atLeast('owner')),
  delete_group: atLeast('owner'),
  read_member: readers,
  admin_member: unlessArchived(atLeast('owner')),
  share_group: unlessArchived(atLeast('owner')),
  read_access_token: atLeast('owner'),
  create_access_token: unlessArchived(atLeast('owner')),
  end_access_token: atLeast('owner'),
  /** The group's own setting may name a lower or higher role: tenancy/groups/create-group.ts. */
  create_subgroup: unlessArchived(atLeast('maintainer')),
  create_project: unlessArchived(roles('developer', 'maintainer', 'owner')),
  read_label: readers,
  admin_label: unlessArchived(atLeast('planner')),
  subscribe_label: signedIn,
  read_milestone: readers,
  admin_milestone: unlessArchived(atLeast('planner')),
  read_issue: readers,
  read_audit_events: atLeast('developer'),
  read_audit_events_of_others: atLeast('owner'),
  import_project: administrators,
} satisfies Record<string, Rule>

export type ProjectAbility = keyof typeof projectAbilities
export type GroupAbility = keyof typeof groupAbilities

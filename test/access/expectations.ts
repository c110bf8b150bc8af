/**
 * Who may do what, written down a second time, on purpose: src/platform/access/abilities.ts must agree in every standing.
 */
export interface Expectation {
  /**
   * `readers`: whoever may see it; `signed-in readers`; `code readers`: those whom the visibility lets in, and
   * reporters; a number: that level and above; numbers: exactly those
   * levels; `members`: guests and above, and members of something below; administrators always.
   */
  readonly who:
    | 'readers'
    | 'signed-in readers'
    | 'code readers'
    | 'signed-in code readers'
    | 'members'
    | 'administrators'
    | number
    | readonly number[]
  /** Whether it stays possible while the place is archived; yes unless said. */
  readonly whileArchived?: boolean
}

const reading: Expectation = { who: 'readers' }
const changing = (who: number | readonly number[]): Expectation => ({ who, whileArchived: false })

export const projectExpectations: Record<string, Expectation> = {
  read_project: reading,
  update_project: { who: 40 },
  admin_project: changing(50),
  archive_project: { who: 50 },
  transfer_project: changing(50),
  delete_project: { who: 50 },
  download_code: { who: 'code readers' },
  push_code: changing(30),
  commit_code: changing(30),
  set_commit_status: changing(30),
  create_commit_note: { who: 'signed-in code readers', whileArchived: false },
  export_project: { who: 40 },
  fork_project: { who: 'signed-in code readers' },
  read_merge_request: { who: 'code readers' },
  create_merge_request: { who: 'signed-in code readers', whileArchived: false },
  edit_merge_request: { who: 'signed-in code readers', whileArchived: false },
  merge_merge_request: { who: 'signed-in code readers', whileArchived: false },
  admin_merge_request: changing(30),
  delete_merge_request: changing(50),
  subscribe_merge_request: { who: 'signed-in code readers' },
  create_merge_request_note: { who: 'signed-in code readers', whileArchived: false },
  approve_merge_request: { who: 'signed-in code readers', whileArchived: false },
  admin_approval_rule: changing(40),

  award_merge_request_emoji: { who: 'signed-in code readers', whileArchived: false },
  read_protected_reference: { who: 40 },
  admin_protected_reference: changing(40),
  star_project: { who: 'signed-in readers' },
  read_member: reading,
  admin_member: changing(40),
  read_project_storage: { who: 'administrators' },
  share_project: changing(40),
  read_access_token: { who: 40 },
  create_access_token: changing(40),
  end_access_token: { who: 40 },
  read_deploy_token: { who: 40 },
  create_deploy_token: changing(40),
  delete_deploy_token: { who: 40 },
  read_deploy_key: { who: 40 },
  admin_deploy_key: changing(40),
  remove_deploy_key: { who: 40 },
  read_badge: reading,
  preview_badge: { who: 40 },
  admin_badge: changing(40),
  read_hook: { who: 40 },
  admin_hook: changing(40),
  read_label: reading,
  admin_label: changing(15),
  subscribe_label: { who: 'signed-in readers' },
  promote_label: changing(15),
  read_milestone: reading,
  admin_milestone: changing(15),
  read_issue: reading,
  read_confidential_issue: { who: 15 },
  create_issue: { who: 'signed-in readers', whileArchived: false },
  plan_new_issue: changing(10),
  edit_issue: { who: 'signed-in readers', whileArchived: false },
  admin_issue: changing(15),
  link_issue: changing(10),
  delete_issue: changing(50),
  subscribe_issue: { who: 'signed-in readers' },
  read_issue_user_agent: { who: 'administrators' },
  create_issue_note: { who: 'signed-in readers', whileArchived: false },
  read_internal_note: { who: 15 },
  admin_note: changing(40),
  award_issue_emoji: { who: 'signed-in readers', whileArchived: false },
  read_wiki: reading,
  edit_wiki: changing(30),
  discuss_wiki: { who: 'signed-in readers', whileArchived: false },
  admin_wiki_note: changing(40),
  read_snippet: reading,
  read_private_snippet: { who: 10 },
  create_snippet: changing(30),
  admin_snippet: changing(40),
  read_snippet_user_agent: { who: 'administrators' },
  create_snippet_note: { who: 'signed-in readers', whileArchived: false },
  award_snippet_emoji: { who: 'signed-in readers', whileArchived: false },
  read_audit_events: { who: 30 },
  read_audit_events_of_others: { who: 40 },
  set_created_at: { who: 50 },
}

export const groupExpectations: Record<string, Expectation> = {
  read_group: reading,
  update_group: changing(50),
  archive_group: { who: 50 },
  transfer_group: changing(50),
  delete_group: { who: 50 },
  read_member: reading,
  admin_member: changing(50),
  share_group: changing(50),
  read_access_token: { who: 50 },
  create_access_token: changing(50),
  end_access_token: { who: 50 },
  read_deploy_token: { who: 40 },
  create_deploy_token: changing(50),
  delete_deploy_token: { who: 50 },
  read_epic: reading,
  read_confidential_epic: { who: 15 },
  admin_epic: changing(15),
  link_epic: changing(10),
  delete_epic: changing(50),
  create_epic_note: { who: 'signed-in readers', whileArchived: false },
  award_epic_emoji: { who: 'signed-in readers', whileArchived: false },
  subscribe_epic: { who: 'signed-in readers' },
  read_internal_epic_note: { who: 15 },
  admin_epic_note: changing(40),
  set_epic_created_at: { who: 50 },
  create_subgroup: changing(40),
  create_project: changing([30, 40, 50]),
  read_badge: reading,
  preview_badge: { who: 50 },
  admin_badge: changing(50),
  read_hook: { who: 50 },
  admin_hook: changing(50),
  read_label: reading,
  admin_label: changing(15),
  subscribe_label: { who: 'signed-in readers' },
  read_milestone: reading,
  admin_milestone: changing(15),
  read_merge_request: reading,
  read_issue: reading,
  read_wiki: reading,
  edit_wiki: changing(30),
  discuss_wiki: { who: 'signed-in readers', whileArchived: false },
  admin_wiki_note: changing(40),
  read_audit_events: { who: 30 },
  read_audit_events_of_others: { who: 50 },
  import_project: { who: 'administrators' },
  read_virtual_registry: { who: 10 },
  pull_virtual_registry: { who: 'members' },
  admin_virtual_registry: changing(40),
}

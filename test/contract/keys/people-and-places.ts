import type { KeyTable } from './entity-keys.ts'

const profile =
  'bio location linkedin twitter discord website_url github job_title pronouns organization bot work_information local_time'
const account =
  'last_sign_in_at confirmed_at last_activity_on email theme_id color_scheme_id projects_limit current_sign_in_at identities can_create_group can_create_project two_factor_enabled external private_profile commit_email preferred_language shared_runners_minutes_limit extra_shared_runners_minutes_limit scim_identities'
const administrative =
  'is_admin note namespace_id created_by email_reset_offered_at using_license_seat is_auditor provisioned_by_group_id enterprise_group_id enterprise_group_associated_at current_sign_in_ip last_sign_in_ip plan trial sign_in_count'

/** Accounts, tokens, namespaces, groups, projects and members. */
export const peopleAndPlaces: KeyTable = {
  AvatarUrl: { source: 'GitLab: Avatar', nullable: 'avatar_url' },
  UserBasic: { source: 'GitLab: UserSafe, UserBasic', nullable: 'public_email avatar_url' },
  UserPublic: {
    source: 'GitLab: User',
    like: ['UserBasic'],
    nullable: 'location pronouns work_information local_time',
    when: {
      'the profile is not private, and nobody blocked the user': 'created_at followers following',
      'somebody signed in asks besides': 'is_followed',
    },
  },
  UserSelf: {
    source: 'GitLab: UserPublic with its extension',
    like: ['UserPublic'],
    nullable:
      'last_sign_in_at confirmed_at last_activity_on theme_id current_sign_in_at identities[].saml_provider_id preferred_language shared_runners_minutes_limit extra_shared_runners_minutes_limit',
  },
  UserAdmin: {
    source: 'GitLab: UserWithAdmin and UserDetailsWithAdmin with their extensions',
    like: ['UserSelf'],
    nullable:
      'note namespace_id created_by email_reset_offered_at provisioned_by_group_id enterprise_group_id enterprise_group_associated_at current_sign_in_ip last_sign_in_ip plan trial',
  },
  UserOfMine: {
    source: 'GitLab: UserWithAdmin for administrators, UserPublic for others',
    like: ['UserAdmin'],
    when: { 'administrators ask': administrative },
  },
  UserShown: {
    source: 'GitLab: UserDetailsWithAdmin for administrators, User for others',
    like: ['UserOfMine'],
    when: {
      'administrators ask': account,
      'administrators ask with with_custom_attributes': 'custom_attributes',
    },
  },
  UserListed: {
    source: 'GitLab: UserWithAdmin for administrators, UserBasic for others',
    like: ['UserShown'],
    when: { 'administrators ask': profile },
  },
  UserStatus: {
    source: 'GitLab: UserStatus',
    nullable: 'emoji message message_html clear_status_at',
  },
  Email: { source: 'GitLab: Email', nullable: 'confirmed_at' },
  SshKey: { source: 'GitLab: SSHKey', nullable: 'expires_at last_used_at' },
  SshKeyWithUser: {
    source: 'GitLab: SSHKeyWithUser, DeployKeyWithUser',
    like: ['SshKey'],
    nullable: 'user',
    when: { 'it is a deploy key': 'deploy_keys_projects' },
  },
  DeployKey: { source: 'GitLab: DeployKey', like: ['SshKey'] },
  ProjectDeployKey: { source: 'GitLab: DeployKeysProject', like: ['SshKey'] },
  DeployToken: { source: 'GitLab: DeployToken', nullable: 'expires_at' },
  DeployTokenWithToken: { source: 'GitLab: DeployTokenWithToken', like: ['DeployToken'] },
  PersonalAccessToken: {
    source: 'GitLab: PersonalAccessToken; specification: project access tokens',
    nullable: 'description last_used_at expires_at',
  },
  PersonalAccessTokenWithToken: {
    source: 'GitLab: PersonalAccessTokenWithToken',
    like: ['PersonalAccessToken'],
  },
  OwnAccessToken: { source: 'GitLab: PersonalAccessTokenWithLastUsedIps', like: ['PersonalAccessToken'] },
  ImpersonationToken: { source: 'GitLab: ImpersonationToken', like: ['PersonalAccessToken'] },
  ImpersonationTokenWithToken: {
    source: 'GitLab: ImpersonationTokenWithToken',
    like: ['PersonalAccessToken'],
  },
  ResourceAccessToken: { source: 'GitLab: ResourceAccessToken', like: ['PersonalAccessToken'] },
  ResourceAccessTokenWithToken: {
    source: 'GitLab: ResourceAccessTokenWithToken',
    like: ['PersonalAccessToken'],
  },
  'GET /personal_access_tokens/self/associations': {
    source: 'GitLab: PersonalAccessTokenAssociations',
    nullable:
      'groups[].parent_id projects[].description projects[].access_levels.project_access_level projects[].access_levels.group_access_level',
  },
  NamespaceBasic: { source: 'GitLab: NamespaceBasic', nullable: 'parent_id avatar_url' },
  Namespace: {
    source: 'GitLab: Namespace with its extension',
    like: ['NamespaceBasic'],
    nullable: 'trial_ends_on',
    when: {
      'the caller may administer it': 'billable_members_count plan trial_ends_on trial',
      'the caller may administer it, and it is a group':
        'members_count_with_descendants root_repository_size projects_count',
    },
  },
  GroupIdentity: { source: 'GitLab: PublicGroupDetails', nullable: 'avatar_url' },
  Group: {
    source: 'GitLab: Group with its extension',
    like: ['GroupIdentity'],
    nullable:
      'description auto_devops_enabled mentions_disabled default_branch max_artifacts_size ldap_cn ldap_access parent_id marked_for_deletion_on',
    when: {
      'administrators ask with statistics': 'statistics',
      'administrators ask with with_custom_attributes': 'custom_attributes',
    },
  },
  GroupDetail: {
    source: 'GitLab: GroupDetail with its extension',
    like: ['Group'],
    nullable:
      'shared_runners_minutes_limit extra_shared_runners_minutes_limit prevent_forking_outside_group ip_restriction_ranges allowed_email_domains_list runners_token',
    when: {
      'owners ask': 'ip_restriction_ranges allowed_email_domains_list runners_token',
      'nobody asked for with_projects=false': 'projects shared_projects',
    },
  },
  SharedWithGroup: {
    source: 'GitLab: SharedGroupWithProject, SharedGroupWithGroup; no role but where custom roles are',
    nullable: 'expires_at',
  },
  'POST /projects/:id/share': { source: 'GitLab: ProjectGroupLink', nullable: 'expires_at' },
  Member: {
    source:
      'GitLab: Member with its extension; no member_role, override and group_saml_identity but where there is one',
    like: ['UserBasic'],
    nullable: 'created_by expires_at email',
    when: { 'administrators ask': 'email', 'somebody asks with show_seat_info': 'is_using_seat' },
  },
  SeveralMembersAdded: {
    source: 'GitLab: the answer to several users',
    when: { 'somebody could not be added': 'message' },
  },
  ProjectIdentity: { source: 'GitLab: ProjectIdentity', nullable: 'description' },
  ProjectSimple: {
    source: 'GitLab: BasicProjectDetails; specification: null without SSH',
    like: ['ProjectIdentity'],
    nullable: 'default_branch ssh_url_to_repo readme_url avatar_url',
  },
  Project: {
    source: 'GitLab: Project with its extension',
    like: ['ProjectSimple'],
    nullable:
      'marked_for_deletion_at marked_for_deletion_on container_expiration_policy.keep_n container_expiration_policy.older_than container_expiration_policy.name_regex container_expiration_policy.name_regex_keep creator_id external_authorization_classification_label issues_template merge_requests_template issue_branch_template merge_request_title_regex merge_request_title_regex_description suggestion_commit_message merge_commit_template squash_commit_template remove_source_branch_after_merge only_allow_merge_if_all_discussions_are_resolved only_allow_merge_if_all_status_checks_passed allow_merge_on_skipped_pipeline merge_pipelines_enabled merge_trains_enabled merge_trains_skip_train_allowed prevent_merge_without_jira_issue ci_config_path max_artifacts_size service_desk_address import_url import_type import_error runners_token runner_token_expiration_interval ci_default_git_depth ci_delete_pipelines_in_seconds permissions.project_access permissions.group_access license_url license',
    when: {
      'it belongs to a person': 'owner',
      'it is a fork, and the caller sees where it comes from': 'forked_from_project',
      'the caller may change issues': 'service_desk_address',
      'the caller may change the project':
        'import_url import_type import_error ci_job_token_scope_enabled restrict_user_defined_variables runners_token runner_token_expiration_interval build_git_strategy build_timeout auto_cancel_pending_pipelines auto_devops_enabled auto_devops_deploy_strategy ci_default_git_depth ci_delete_pipelines_in_seconds ci_forward_deployment_enabled ci_forward_deployment_rollback_allowed ci_allow_fork_pipelines_to_run_in_parent_project ci_separated_caches ci_id_token_sub_claim_components ci_pipeline_variables_minimum_override_role ci_push_repository_for_job_token_allowed ci_restrict_pipeline_cancellation_role keep_latest_artifact resource_group_default_process_mode group_runners_enabled',
      'administrators ask': 'repository_storage',
      'one project or the own ones are asked for': 'permissions',
      'reporters ask with statistics': 'statistics',
      'somebody asks with license': 'license_url license',
      'administrators ask with with_custom_attributes': 'custom_attributes',
      '`with_abilities` asks for them': 'abilities',
    },
  },
  ProjectOrSimple: {
    source: 'GitLab: BasicProjectDetails with simple and for anonymous callers, otherwise Project',
    like: ['Project'],
    when: { 'somebody signed in asks, without simple': '*' },
  },
  ProjectExport: {
    source: 'GitLab: ProjectExportStatus',
    like: ['ProjectIdentity'],
    when: { 'it is finished': '_links' },
  },
  ProjectImport: {
    source: 'GitLab: ProjectImportStatus',
    like: ['ProjectIdentity'],
    nullable: 'import_type correlation_id import_error stats',
  },
  ProjectRepositoryStorageMove: {
    source: 'GitLab: Projects::RepositoryStorageMove',
    nullable: 'project.description',
  },
  SnippetRepositoryStorageMove: {
    source: 'GitLab: Snippets::RepositoryStorageMove; specification: null without SSH',
    nullable: 'snippet.description snippet.project_id snippet.ssh_url_to_repo',
  },
  'GET /projects/:id/storage': { source: 'GitLab: ProjectRepositoryStorage', nullable: 'disk_path' },
  BroadcastMessage: { source: 'GitLab: System::BroadcastMessage', nullable: 'target_path' },
  Topic: { source: 'specification: topics', nullable: 'description avatar_url' },
  Badge: { source: 'specification: badges', nullable: 'name' },
  BadgePreview: {
    source: 'GitLab: BasicBadgeDetails',
    nullable: 'name',
    when: { 'it is of a group': 'name' },
  },
}

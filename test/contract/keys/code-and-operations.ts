import { otherSettings } from '#administration/other-settings/index.ts'
import type { KeyTable } from './entity-keys.ts'

/** Settings that features act on. Of the others, docs/settings.md is the table: they may be null where their default is. */
const enforced =
  'after_sign_out_path default_branch_name home_page_url max_personal_access_token_lifetime rate_limiting_response_text receive_max_input_size repository_storage_moves_bandwidth runner_token_expiration_interval group_runner_token_expiration_interval project_runner_token_expiration_interval'
const others = Object.entries(otherSettings.settings ?? {}).flatMap(([name, { default: usual }]) =>
  usual === null ? [name] : [],
)
const frames = ['function', 'module', 'filename', 'lineno', 'colno', 'context_line', 'vars']
const errorEvent = [
  'message',
  ...['type', 'value', 'handled', ...frames.map((name) => `frames[].${name}`)].map(
    (name) => `exceptions[].${name}`,
  ),
  ...'transaction release environment server_name sdk tags user request contexts extra'.split(' '),
]

/** Repositories, merge requests, deployments, monitoring, registries and administration. */
export const codeAndOperations: KeyTable = {
  Commit: { source: 'GitLab: Commit, CommitWithStats', when: { 'somebody asks with with_stats': 'stats' } },
  CommitDetail: { source: 'GitLab: CommitDetail', like: ['Commit'], nullable: 'status last_pipeline' },
  FoundCommit: { source: 'GitLab: CommitDetail', like: ['Commit'] },
  FoundBlob: { source: 'GitLab: Blob', nullable: 'id' },
  CommitComment: { source: 'GitLab: CommitNote', nullable: 'path line line_type' },
  CommitStatus: {
    source: 'GitLab: CommitStatus',
    nullable: 'target_url description started_at finished_at coverage author',
  },
  TagSignature: { source: 'GitLab: TagSignature', nullable: 'x509_certificate' },
  CommitSignature: {
    source: 'GitLab: CommitSignature, of one kind each',
    like: ['TagSignature'],
    nullable: 'gpg_key_id gpg_key_primary_keyid gpg_key_user_name gpg_key_user_email gpg_key_subkey_id key',
  },
  X509Certificate: {
    source: 'GitLab: X509Certificate',
    nullable: 'subject_key_identifier email x509_issuer.subject_key_identifier x509_issuer.crl_url',
  },
  Comparison: { source: 'GitLab: Compare', nullable: 'commit' },
  Diff: { source: 'GitLab: Diff', nullable: 'generated_file' },
  Tag: { source: 'GitLab: Tag', nullable: 'message commit release created_at' },
  ProtectedAccess: {
    source: 'GitLab: ProtectedRefAccess with its extension; no deploy_key_id but where there is one',
    nullable: 'access_level user_id group_id',
  },
  Snippet: {
    source: 'GitLab: Snippet; specification: null without SSH',
    nullable: 'description project_id ssh_url_to_repo',
    when: { 'administrators ask': 'repository_storage' },
  },
  WikiPage: { source: 'GitLab: WikiPage', nullable: 'wiki_page_meta_id' },
  ListedWikiPage: {
    source: 'GitLab: WikiPageBasic, WikiPage',
    like: ['WikiPage'],
    when: { 'somebody asks with with_content': 'content encoding front_matter' },
  },
  WikiPageChange: { source: 'own', nullable: 'parent_id' },
  MergeRequest: {
    source: 'GitLab: MergeRequestBasic with its extension',
    nullable:
      'description merged_by merge_user merged_at merge_after closed_by closed_at assignee source_project_id milestone merge_commit_sha squash_commit_sha discussion_locked should_remove_source_branch force_remove_source_branch prepared_at approvals_before_merge',
  },
  ListedMergeRequest: {
    source: 'GitLab: MergeRequestSimple, MergeRequestBasic',
    like: ['MergeRequest'],
    when: { 'nobody asked for view=simple': '*' },
  },
  MergeRequestSingle: {
    source: 'GitLab: MergeRequest',
    like: ['MergeRequest'],
    nullable:
      'changes_count latest_build_started_at latest_build_finished_at first_deployed_to_production_at pipeline head_pipeline diff_refs.base_sha merge_error',
    when: {
      'somebody asks with render_html': 'title_html description_html',
      'somebody asks with include_diverged_commits_count': 'diverged_commits_count',
      'somebody asks with include_rebase_in_progress': 'rebase_in_progress',
    },
  },
  MergeRequestChanges: { source: 'GitLab: MergeRequestChanges', like: ['MergeRequestSingle'] },
  MergeRequestVersion: { source: 'GitLab: MergeRequestDiff', nullable: 'base_commit_sha patch_id_sha' },
  MergeRequestVersionFull: { source: 'GitLab: MergeRequestDiffFull', like: ['MergeRequestVersion'] },
  MergeRequestApprovals: { source: 'GitLab: ApprovalState', nullable: 'description' },
  ApprovalRule: { source: 'GitLab: ProjectApprovalRule', nullable: 'report_type' },
  MergeRequestApprovalRule: {
    source: 'GitLab: MergeRequestApprovalRule',
    nullable: 'report_type section source_rule',
  },
  ApprovalStateRule: {
    source: 'GitLab: MergeRequestApprovalStateRule',
    like: ['MergeRequestApprovalRule'],
  },
  EnvironmentBasic: { source: 'GitLab: EnvironmentBasic', nullable: 'external_url' },
  Environment: {
    source: 'GitLab: Environment; nothing of agents of clusters but where there is one',
    like: ['EnvironmentBasic'],
    nullable: 'auto_stop_at description',
  },
  EnvironmentWithDeployment: {
    source: 'GitLab: Environment with its last deployment',
    like: ['Environment'],
    nullable: 'last_deployment',
  },
  LastDeployment: { source: 'GitLab: Deployment', nullable: 'user deployable' },
  Deployment: {
    source: 'GitLab: Deployment with its extension',
    like: ['LastDeployment'],
    when: { '`with_permissions` asks for it': 'user_permissions' },
  },
  Release: {
    source: 'GitLab: Release',
    nullable: 'description author commit',
    when: {
      'readers of the code': 'tag_name commit commit_path tag_path evidences assets.sources',
      'those who may change it': '_links.edit_url',
      'readers of milestones': 'milestones',
      include_html_description: 'description_html',
    },
  },
  ListedRelease: {
    source: 'GitLab: Release, and what simple leaves of it',
    like: ['Release'],
    when: { 'not simple': 'author assets _links assets.sources _links.edit_url' },
  },
  DeploymentApproval: { source: 'GitLab: Deployments::Approval', nullable: 'comment' },
  DeploymentApprovalRule: {
    source: 'specification: approval rules',
    nullable: 'user_id group_id access_level',
  },
  DeployAccessLevel: {
    source: 'specification: deploy access levels',
    nullable: 'user_id group_id',
  },
  EnvironmentApprovalRule: {
    source: 'specification: approval rules',
    nullable: 'access_level user_id group_id',
  },
  Alert: {
    source: 'specification: alert payloads',
    nullable:
      'description fingerprint integration_id issue_iid service monitoring_tool environment runbook metrics_query metrics_y_label ended_at',
  },
  BackgroundJob: { source: 'own', nullable: 'last_error' },
  AlertDetails: { source: 'own', like: ['Alert'], nullable: 'service_incident_markdown' },
  AlertIntegration: { source: 'own', nullable: 'url authorization_key preset sample_payload' },
  AlertSettings: { source: 'own', nullable: 'incident_template' },
  ErrorTrackingSettings: {
    source: 'specification: error tracking settings',
    nullable: 'project_name tracker_external_url sentry_external_url api_url',
  },
  ErrorEvent: { source: 'own', nullable: errorEvent.join(' ') },
  TrackedError: {
    source: 'own',
    nullable: 'type culprit platform resolved_in_release status_changed_at reopened_at issue',
  },
  ErrorDetails: {
    source: 'own',
    like: ['TrackedError'],
    nullable: `latest_event ${errorEvent.map((name) => `latest_event.${name}`).join(' ')}`,
  },
  RegistryRepository: {
    source: 'GitLab: ContainerRegistry::Repository',
    nullable: 'cleanup_policy_started_at status size',
    when: {
      'somebody asks with tags': 'tags',
      'somebody asks with tags_count': 'tags_count',
      'somebody asks with size': 'size',
    },
  },
  RegistryTagDetails: {
    source: 'GitLab: ContainerRegistry::TagDetails',
    nullable: 'revision short_revision created_at total_size',
  },
  ContainerRepositoryProtectionRule: {
    source: 'GitLab: Projects::ContainerRegistry::Protection::Rule',
    nullable: 'minimum_access_level_for_push minimum_access_level_for_delete',
  },
  ContainerTagProtectionRule: {
    source: 'GitLab: Projects::ContainerRegistry::Protection::TagRule',
    nullable: 'minimum_access_level_for_push minimum_access_level_for_delete',
  },
  ContainerVirtualRegistry: {
    source: 'specification: container virtual registries',
    nullable: 'description',
  },
  ContainerVirtualRegistryDetail: {
    source: 'specification: container virtual registries',
    like: ['ContainerVirtualRegistry'],
  },
  ContainerUpstream: {
    source: 'specification: container virtual registries',
    nullable: 'description username',
  },
  ContainerUpstreamDetail: {
    source: 'specification: container virtual registries',
    like: ['ContainerUpstream'],
  },
  ContainerUpstreamOfRegistry: {
    source: 'specification: container virtual registries',
    like: ['ContainerUpstream'],
  },
  ContainerUpstreamTest: {
    source: 'specification: container virtual registries',
    when: { 'the connection fails': 'result' },
  },
  ContainerCacheEntry: {
    source: 'specification: container virtual registries',
    nullable: 'upstream_etag',
  },
  AuditEventDetails: {
    source: 'GitLab: AuditEvent, whose details depend on what was done',
    nullable: 'from to author_email target_id target_details ip_address',
    when: {
      'a value changed': 'change from to as',
      'something was added': 'add',
      'something was removed': 'remove',
      'neither says what was done': 'custom_message',
      'it was done with something': 'with',
      'an administrator acted as somebody else': 'impersonated_by impersonated_by_id',
    },
  },
  PipelineSchedule: { source: 'GitLab: Ci::PipelineSchedule', nullable: 'next_run_at owner' },
  PipelineScheduleDetail: {
    source: 'GitLab: Ci::PipelineScheduleDetails',
    like: ['PipelineSchedule'],
    nullable: 'last_pipeline',
    when: { 'its owner or a Maintainer asks': 'variables' },
  },
  TestReport: {
    source: 'GitLab: TestReportEntity',
    nullable:
      'test_suites[].suite_error test_suites[].test_cases[].file test_suites[].test_cases[].system_output test_suites[].test_cases[].stack_trace test_suites[].test_cases[].recent_failures',
  },
  TestReportSummary: {
    source: 'GitLab: TestReportSummaryEntity',
    nullable: 'total.suite_error test_suites[].suite_error',
  },
  Package: {
    source: 'GitLab: Package; pipelines has the last one',
    nullable: 'version last_downloaded_at',
    when: {
      'whoever asks may delete it': '_links.delete_api_path',
      'a job published it, and whoever asks may see pipelines': 'pipeline',
    },
  },
  PackageWithVersions: { source: 'GitLab: Package', like: ['Package'], nullable: 'versions[].version' },
  PackageFile: { source: 'GitLab: PackageFile', nullable: 'file_md5 file_sha1 file_sha256' },
  PackagePipeline: { source: 'GitLab: Package::Pipeline', nullable: 'user' },
  PackageProtectionRule: {
    source: 'GitLab: Projects::Packages::Protection::Rule',
    nullable: 'minimum_access_level_for_push minimum_access_level_for_delete',
  },
  PackagesCleanupPolicy: {
    source: 'GitLab: packagesCleanupPolicy of GraphQL',
    nullable: 'keep_n_duplicated_package_files next_run_at',
  },
  SecureFile: { source: 'GitLab: Ci::SecureFile', nullable: 'expires_at metadata file_extension' },
  AllowedProject: {
    source:
      'GitLab: BasicProjectDetails, of which it has the identity; description null where the caller may not see it',
    nullable: 'description',
  },
  PipelineTrigger: { source: 'GitLab: Trigger', nullable: 'last_used expires_at owner' },
  CiLint: {
    source: 'GitLab: Ci::Lint::Result',
    nullable:
      'merged_yaml includes[].blob includes[].raw includes[].context_project includes[].context_sha jobs[].environment jobs[].needs',
    when: { '`include_jobs` asks for them': 'jobs' },
  },
  PipelineListed: { source: 'GitLab: Ci::PipelineBasicWithMetadata', nullable: 'name' },
  Pipeline: {
    source: 'GitLab: Ci::Pipeline',
    like: ['PipelineListed'],
    nullable:
      'yaml_errors user started_at finished_at committed_at duration queued_duration coverage detailed_status.illustration',
    when: { '`with_permissions` asks for it': 'user_permissions' },
  },
  JobArtifactEntry: { source: 'GitLab: JobArtifactEntry', when: { 'it is a file': 'size' } },
  Job: {
    source: 'GitLab: Ci::Job',
    nullable:
      'coverage started_at finished_at erased_at duration queued_duration user commit artifacts[].file_format runner runner_manager artifacts_expire_at',
    when: {
      'it has an archive': 'artifacts_file',
      'it has failed': 'failure_reason',
      '`with_needs` asks for them': 'needs',
      '`with_permissions` asks for it': 'user_permissions',
    },
  },
  JobWithProject: {
    source: 'GitLab: Ci::JobBasicWithProject',
    nullable:
      'coverage started_at finished_at erased_at duration queued_duration user commit project.description',
    when: { 'it has failed': 'failure_reason' },
  },
  Runner: { source: 'GitLab: Ci::Runner', nullable: 'description name online created_by' },
  RunnerDetails: {
    source: 'GitLab: Ci::RunnerDetails',
    like: ['Runner'],
    nullable:
      'maximum_timeout version revision platform architecture contacted_at maintenance_note projects[].description',
  },
  RunnerManager: {
    source: 'GitLab: Ci::RunnerManager',
    nullable: 'version revision platform architecture contacted_at',
  },
  RunnerRegistration: { source: 'GitLab: Ci::RunnerRegistrationDetails', nullable: 'token_expires_at' },
  ResetToken: { source: 'GitLab: Ci::ResetTokenResult', nullable: 'token_expires_at' },
  Bridge: {
    source: 'GitLab: Ci::Bridge',
    nullable:
      'coverage started_at finished_at erased_at duration queued_duration user commit downstream_pipeline',
    when: { 'it has failed': 'failure_reason', '`with_needs` asks for them': 'needs' },
  },
  CiVariable: { source: 'GitLab: Ci::Variable', nullable: 'value description' },
  CiInstanceVariable: { source: 'GitLab: Ci::Variable', nullable: 'description' },
  Feature: { source: 'GitLab: Feature', nullable: 'definition' },
  FeatureDefinition: {
    source: 'GitLab: Feature::Definition',
    nullable:
      'feature_issue_url introduced_by_url rollout_issue_url milestone log_state_changes group intended_to_rollout_by',
  },
  'GET /metadata': {
    source: 'GitLab: Metadata',
    nullable: 'kas.externalUrl kas.externalK8sProxyUrl kas.version',
  },
  ApplicationSettings: {
    source: 'GitLab: ApplicationSetting',
    nullable: [enforced, ...others].join(' '),
  },
}

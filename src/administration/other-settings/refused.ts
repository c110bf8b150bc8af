import { count, flag, list, nullable, text } from '#platform/http/schema.ts'
import { refusedSetting, type ValuesOf } from '#platform/settings/definitions.ts'

const off = (because: string) => refusedSetting(flag(), false, because)
const on = (because: string) => refusedSetting(flag(), true, because)
const number = (standard: number, because: string) => refusedSetting(count(), standard, because)
const unset = (because: string) => refusedSetting(nullable(count()), null, because)
const blank = (because: string) => refusedSetting(nullable(text({ max: 65_536 })), null, because)
const empty = (because: string) => refusedSetting(list(text({ max: 255 }), { max: 1000 }), [], because)

const noSignUp = 'people cannot register themselves yet'
const noSecondFactor = 'there is no second factor yet'
const passwordLength = 'passwords need 8 characters, and nothing else is asked of them'
const signInPages = 'people sign in on pages with their password'
const gitTakesTokens = 'Git takes tokens, and never passwords'
const gitOverHttp = 'Git is served over HTTP always, and over SSH where the configuration says so'
const noAdminMode = 'administrators need no further step'
const noTerms = 'terms are shown to nobody'
const noDeactivation = 'users are not deactivated by themselves'
const noMailOfDeactivation = 'nobody gets a mail when they are deactivated'
const noSwitchForTokens = 'tokens and OAuth scopes are not switched off as a whole'
const ownApplications = 'everybody can register OAuth applications'
const addressesUncounted = 'addresses of people are not counted'
const allKeys = 'keys of every kind and size are taken, and last for ever'
const noExternalAuthorization = 'no other service decides who may do what'
const noMaintenanceMode = 'the instance has no maintenance mode and no silent mode'
const downloadsUncounted = 'downloads of projects are not counted yet'
const failedSignIns = 'failed sign-ins are limited for each address (`failed_authentication_limit`)'
const endOfSessions = 'sessions end as `session_expire_delay` says'
const checkedAddresses = 'outgoing requests always go to the address that was checked'
const oneSwitchForLocalRequests =
  '`allow_local_requests_from_web_hooks_and_services` is about all requests to the local network'
const allowlistAdds = '`outbound_local_requests_whitelist` adds to what is allowed'
const deletedAtOnce = 'deleted projects and groups are removed at once'
const noDeletionOfProjects = 'projects are not deleted by themselves'
const rolesDecide = 'who may do this is decided by roles, restricted visibilities and the settings of groups'
const noLimitOfSize = 'repositories have no limit of their size'
const fixedLimitsOfDiffs = 'diffs have fixed limits'
const alwaysExports = 'exports of projects are always possible'
const noImportOfGroups = 'groups are not transferred between instances yet'
const noMirrors = 'there are no mirrors yet'
const keptTidy = 'repositories are always kept tidy, and `forgelet check repositories` checks them'
const weightedStorages = '`repository_storages_weighted` says which storages are used'
const alwaysMetrics = 'metrics are always served'
const fixedMails = 'mails have fixed texts'
const chosenAddress = 'commits have the address that their author chose'
const unitsOfTime = 'times are shown in weeks, days and hours'
const noAbuseReports = 'there are no abuse reports yet'
const noAssetProxy = 'pictures are not fetched by a proxy'
const spamService = '`FORGELET_SPAM_URL` names the service that checks for spam'
const captchaService = '`FORGELET_CAPTCHA_URL` names the service for CAPTCHAs'
const noIncomingMail = 'mail is not received'
const noIntegration = 'there is no such integration'
const searchesInPostgres = 'PostgreSQL searches'
const limitOfTheApi =
  'requests of the API are limited as a whole (`throttle_authenticated_api_enabled`, `throttle_unauthenticated_api_enabled`)'

/**
 * Settings that would promise what is not there: who sets one would rely on it. Only the value that says how it is can be
 * sent.
 */
export const refusedSettings = {
  require_admin_approval_after_user_signup: off(noSignUp),
  email_confirmation_setting: refusedSetting(text({ max: 4096 }), 'off', noSignUp),
  domain_allowlist: empty(noSignUp),
  domain_denylist: empty(noSignUp),
  domain_denylist_enabled: off(noSignUp),
  email_restrictions_enabled: off(noSignUp),
  invisible_captcha_enabled: off(noSignUp),
  new_user_signups_cap: unset(noSignUp),
  require_two_factor_authentication: off(noSecondFactor),
  require_admin_two_factor_authentication: off(noSecondFactor),
  minimum_password_length: number(8, passwordLength),
  password_number_required: off(passwordLength),
  password_symbol_required: off(passwordLength),
  password_uppercase_required: off(passwordLength),
  password_lowercase_required: off(passwordLength),
  password_authentication_enabled_for_web: on(signInPages),
  password_authentication_enabled_for_git: off(gitTakesTokens),
  enabled_git_access_protocol: blank(gitOverHttp),
  admin_mode: off(noAdminMode),
  enforce_terms: off(noTerms),
  deactivate_dormant_users: off(noDeactivation),
  user_deactivation_emails_enabled: off(noMailOfDeactivation),
  disable_personal_access_token: off(noSwitchForTokens),
  disable_admin_oauth_scopes: off(noSwitchForTokens),
  disable_feed_token: off(noSwitchForTokens),
  user_oauth_applications: on(ownApplications),
  unique_ips_limit_enabled: off(addressesUncounted),
  rsa_key_restriction: number(0, allKeys),
  dsa_key_restriction: number(0, allKeys),
  ecdsa_key_restriction: number(0, allKeys),
  ecdsa_sk_key_restriction: number(0, allKeys),
  ed25519_key_restriction: number(0, allKeys),
  ed25519_sk_key_restriction: number(0, allKeys),
  max_ssh_key_lifetime: unset(allKeys),
  external_authorization_service_enabled: off(noExternalAuthorization),
  external_auth_client_cert: blank(noExternalAuthorization),
  external_auth_client_key: blank(noExternalAuthorization),
  external_auth_client_key_pass: blank(noExternalAuthorization),
  maintenance_mode: off(noMaintenanceMode),
  silent_mode_enabled: off(noMaintenanceMode),
  max_number_of_repository_downloads: number(0, downloadsUncounted),
  auto_ban_user_on_excessive_projects_download: off(downloadsUncounted),
  max_login_attempts: unset(failedSignIns),
  failed_login_attempts_unlock_period_in_minutes: unset(failedSignIns),
  remember_me_enabled: on(endOfSessions),
  session_expire_from_init: off(endOfSessions),
  dns_rebinding_protection_enabled: on(checkedAddresses),
  allow_local_requests_from_hooks_and_services: off(oneSwitchForLocalRequests),
  allow_local_requests_from_system_hooks: off(oneSwitchForLocalRequests),
  deny_all_requests_except_allowed: off(allowlistAdds),
  delayed_project_deletion: off(deletedAtOnce),
  delayed_group_deletion: off(deletedAtOnce),
  deletion_adjourned_period: number(0, deletedAtOnce),
  delete_inactive_projects: off(noDeletionOfProjects),
  default_project_creation: number(2, rolesDecide),
  group_owners_can_manage_default_branch_protection: on(rolesDecide),
  default_project_deletion_protection: off(rolesDecide),
  lock_memberships_to_ldap: off(rolesDecide),
  lock_memberships_to_saml: off(rolesDecide),
  allow_project_creation_for_guest_and_below: on(rolesDecide),
  user_defaults_to_private_profile: off(rolesDecide),
  user_default_internal_regex: blank(rolesDecide),
  allow_account_deletion: on(rolesDecide),
  repository_size_limit: unset(noLimitOfSize),
  enforce_namespace_storage_limit: off(noLimitOfSize),
  check_namespace_plan: off(noLimitOfSize),
  automatic_purchased_storage_allocation: off(noLimitOfSize),
  diff_max_patch_bytes: number(204_800, fixedLimitsOfDiffs),
  diff_max_files: number(1000, fixedLimitsOfDiffs),
  diff_max_lines: number(50000, fixedLimitsOfDiffs),
  project_export_enabled: on(alwaysExports),
  bulk_import_enabled: off(noImportOfGroups),
  mirror_available: off(noMirrors),
  housekeeping_enabled: on(keptTidy),
  hashed_storage_enabled: on(keptTidy),
  repository_checks_enabled: off(keptTidy),
  repository_storages: empty(weightedStorages),
  prometheus_metrics_enabled: on(alwaysMetrics),
  email_additional_text: blank(fixedMails),
  email_author_in_body: off(fixedMails),
  html_emails_enabled: on(fixedMails),
  commit_email_hostname: blank(chosenAddress),
  time_tracking_limit_to_hours: off(unitsOfTime),
  admin_notification_email: blank(noAbuseReports),
  abuse_notification_email: blank(noAbuseReports),
  asset_proxy_enabled: off(noAssetProxy),
  asset_proxy_secret_key: blank(noAssetProxy),
  spam_check_endpoint_url: blank(spamService),
  spam_check_api_key: blank(spamService),
  akismet_enabled: off(spamService),
  akismet_api_key: blank(spamService),
  recaptcha_site_key: blank(captchaService),
  recaptcha_private_key: blank(captchaService),
  login_recaptcha_protection_enabled: off(captchaService),
  mailgun_events_enabled: off(noIncomingMail),
  mailgun_signing_key: blank(noIncomingMail),
  slack_app_enabled: off(noIntegration),
  slack_app_secret: blank(noIntegration),
  slack_app_signing_secret: blank(noIntegration),
  slack_app_verification_token: blank(noIntegration),
  sourcegraph_enabled: off(noIntegration),
  gitpod_enabled: off(noIntegration),
  kroki_enabled: off(noIntegration),
  grafana_enabled: off(noIntegration),
  snowplow_enabled: off(noIntegration),
  eks_integration_enabled: off(noIntegration),
  eks_account_id: blank(noIntegration),
  eks_access_key_id: blank(noIntegration),
  eks_secret_access_key: blank(noIntegration),
  external_pipeline_validation_service_token: blank(noIntegration),
  gitlab_dedicated_instance: off(noIntegration),
  elasticsearch_indexing: off(searchesInPostgres),
  elasticsearch_search: off(searchesInPostgres),
  elasticsearch_aws: off(searchesInPostgres),
  elasticsearch_password: blank(searchesInPostgres),
  elasticsearch_aws_access_key: blank(searchesInPostgres),
  elasticsearch_aws_secret_access_key: blank(searchesInPostgres),
  throttle_authenticated_packages_api_enabled: off(limitOfTheApi),
  throttle_authenticated_web_enabled: off(limitOfTheApi),
  throttle_unauthenticated_packages_api_enabled: off(limitOfTheApi),
  throttle_unauthenticated_web_enabled: off(limitOfTheApi),
  throttle_authenticated_files_api_enabled: off(limitOfTheApi),
  throttle_unauthenticated_files_api_enabled: off(limitOfTheApi),
  throttle_authenticated_git_lfs_enabled: off(limitOfTheApi),
  throttle_unauthenticated_deprecated_api_enabled: off(limitOfTheApi),
  throttle_authenticated_deprecated_api_enabled: off(limitOfTheApi),
  throttle_protected_paths_enabled: off(limitOfTheApi),
  raw_blob_request_limit: number(0, limitOfTheApi),
  search_rate_limit_unauthenticated: number(0, limitOfTheApi),
  projects_api_rate_limit_unauthenticated: number(0, limitOfTheApi),
  users_get_by_id_limit: number(0, limitOfTheApi),
  project_export_limit: number(0, limitOfTheApi),
  project_download_export_limit: number(0, limitOfTheApi),
  project_import_limit: number(0, limitOfTheApi),
  group_export_limit: number(0, limitOfTheApi),
  group_download_export_limit: number(0, limitOfTheApi),
  group_import_limit: number(0, limitOfTheApi),
  pipeline_limit_per_user: number(0, limitOfTheApi),
  project_jobs_api_rate_limit: number(0, limitOfTheApi),
  members_delete_limit: number(0, limitOfTheApi),
  group_api_limit: number(0, limitOfTheApi),
  groups_api_limit: number(0, limitOfTheApi),
  project_api_limit: number(0, limitOfTheApi),
  projects_api_limit: number(0, limitOfTheApi),
  user_contributed_projects_api_limit: number(0, limitOfTheApi),
  user_projects_api_limit: number(0, limitOfTheApi),
  user_starred_projects_api_limit: number(0, limitOfTheApi),
  group_projects_api_limit: number(0, limitOfTheApi),
  group_shared_groups_api_limit: number(0, limitOfTheApi),
  group_invited_groups_api_limit: number(0, limitOfTheApi),
  project_invited_groups_api_limit: number(0, limitOfTheApi),
  create_organization_api_limit: number(0, limitOfTheApi),
  gitlab_shell_operation_limit: number(0, limitOfTheApi),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof refusedSettings> {}
}

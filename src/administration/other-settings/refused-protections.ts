import { count, flag, list, nullable, text } from '#platform/http/schema.ts'
import { refusedSetting, type ValuesOf } from '#platform/settings/definitions.ts'

const off = (because: string) => refusedSetting(flag(), false, because)
const on = (because: string) => refusedSetting(flag(), true, because)
const number = (standard: number, because: string) => refusedSetting(count(), standard, because)
const blank = (because: string) => refusedSetting(nullable(text({ max: 65_536 })), null, because)
const empty = (because: string) => refusedSetting(list(text({ max: 255 }), { max: 1000 }), [], because)

const ownersInvite = 'who manages members can invite people'
const peopleNameThemselves = 'people can change their own names'
const rangesOfGroups = 'each group has ranges of addresses of its own, without exceptions'
const noServiceAccounts = 'there are no service accounts'
const staysInactive = 'inactive tokens are not removed by themselves'
const projectsDecide = 'each project has its own rules of approvals'
const publicIsFound = 'what everybody may read can be found by everybody'
const noMailOfLock = 'accounts are not locked by failed sign-ins'
const noSingleSignOn = 'there is no single sign-on'
const noKindsOfTokens = 'tokens are not switched off as a whole'
const keysLast = 'keys need not expire'
const noSignUp = 'people cannot register themselves yet'
const otherName = 'it is the old name of another setting'
const limitOfTheApi =
  'requests of the API are limited as a whole (`throttle_authenticated_api_enabled`, `throttle_unauthenticated_api_enabled`)'
const noSecretDetection = 'pushes are not searched for secrets'
const exportsAreRecorded = 'every export is recorded'
const fixedLimits = 'archives have fixed limits of their size when unpacked'
const noRemoteArchives = 'archives are not fetched from other servers'
const groupsAreCreated = '`can_create_group` says who can create groups'
const endsAtOnce = 'accounts are deleted at once'
const noSeats = 'seats are not counted'
const noSuchPage = 'no such page is served'
const ownAddress = 'addresses for cloning begin with that of the instance'
const noIntegration = 'there is no such integration, so its secrets have no use'
const noneIntegrated = 'there is no such integration'
const searchesInPostgres = 'PostgreSQL searches'
const noIncludes = 'nothing is included into pages'

/**
 * Settings of which one would expect protection, or that are secrets of services that nothing here talks to: such are not
 * stored for nothing. Only the value that says how it is can be sent.
 */
export const refusedProtections = {
  // People and their names.
  disable_invite_members: off(ownersInvite),
  updating_name_disabled_for_users: off(peopleNameThemselves),
  enable_member_promotion_management: off(noSeats),
  send_user_confirmation_email: off(noSignUp),
  delete_unconfirmed_users: off(noSignUp),
  domain_whitelist: empty(noSignUp),
  domain_blacklist: empty(noSignUp),
  domain_blacklist_enabled: off(noSignUp),
  require_email_verification_on_account_locked: off(noMailOfLock),
  delay_user_account_self_deletion: off(endsAtOnce),
  top_level_group_creation_enabled: on(groupsAreCreated),
  // Signing in, and addresses.
  signin_enabled: on(otherName),
  password_authentication_enabled: on(otherName),
  disable_password_authentication_for_users_with_sso_identities: off(noSingleSignOn),
  require_sso_authentication_for_owners: off(noSingleSignOn),
  globally_allowed_ips: blank(rangesOfGroups),
  outbound_local_requests_allowlist_raw: blank('`outbound_local_requests_whitelist` has these addresses'),
  custom_http_clone_url_root: blank(ownAddress),
  security_txt_content: blank(noSuchPage),
  // Tokens and keys.
  service_access_tokens_expiration_enforced: on(noServiceAccounts),
  allow_top_level_group_owners_to_create_service_accounts: off(noServiceAccounts),
  inactive_resource_access_tokens_delete_after_days: number(0, staysInactive),
  disable_personal_access_tokens: off(noKindsOfTokens),
  enforce_granular_tokens: off(noKindsOfTokens),
  enforce_pat_expiration: off('`require_personal_access_token_expiry` says so'),
  enforce_ssh_key_expiration: off(keysLast),
  instance_token_prefix: blank('`personal_access_token_prefix` is the prefix of tokens'),
  // Code, reviews and searches.
  prevent_merge_requests_author_approval: off(projectsDecide),
  prevent_merge_request_author_approval: off(projectsDecide),
  prevent_merge_requests_committers_approval: off(projectsDecide),
  prevent_merge_request_committers_approval: off(projectsDecide),
  disable_overriding_approvers_per_merge_request: off(projectsDecide),
  security_policy_global_group_approvers_enabled: off(projectsDecide),
  pre_receive_secret_detection_enabled: off(noSecretDetection),
  secret_push_protection_available: off(noSecretDetection),
  secret_detection_token_revocation_enabled: off(noSecretDetection),
  secret_detection_token_revocation_token: blank(noSecretDetection),
  anonymous_searches_allowed: on(publicIsFound),
  global_search_block_anonymous_searches_enabled: off(publicIsFound),
  silent_admin_exports_enabled: off(exportsAreRecorded),
  max_decompressed_archive_size: number(1_024, fixedLimits),
  max_import_remote_file_size: number(0, noRemoteArchives),
  bulk_import_max_download_file_size: number(0, noRemoteArchives),
  wiki_asciidoc_allow_uri_includes: off(noIncludes),
  // Limits.
  throttle_unauthenticated_enabled: off(limitOfTheApi),
  throttle_unauthenticated_git_http_enabled: off(limitOfTheApi),
  throttle_authenticated_git_http_enabled: off(limitOfTheApi),
  throttle_unauthenticated_git_lfs_enabled: off(limitOfTheApi),
  autocomplete_users_limit: number(0, limitOfTheApi),
  autocomplete_users_unauthenticated_limit: number(0, limitOfTheApi),
  group_archive_unarchive_api_limit: number(0, limitOfTheApi),
  users_api_limit_followers: number(0, limitOfTheApi),
  users_api_limit_following: number(0, limitOfTheApi),
  users_api_limit_status: number(0, limitOfTheApi),
  users_api_limit_ssh_keys: number(0, limitOfTheApi),
  users_api_limit_ssh_key: number(0, limitOfTheApi),
  users_api_limit_gpg_keys: number(0, limitOfTheApi),
  users_api_limit_gpg_key: number(0, limitOfTheApi),
  git_push_pipeline_limit: number(0, limitOfTheApi),
  virtual_registries_endpoints_api_limit: number(0, limitOfTheApi),
  // Other services and their secrets.
  ai_access_token: blank(noIntegration),
  anthropic_api_key: blank(noIntegration),
  openai_api_key: blank(noIntegration),
  arkose_labs_private_api_key: blank(noIntegration),
  arkose_labs_public_api_key: blank(noIntegration),
  cube_api_key: blank(noIntegration),
  customers_dot_jwt_signing_key: blank(noIntegration),
  jira_connect_application_key: blank(noIntegration),
  product_analytics_configurator_connection_string: blank(noIntegration),
  static_objects_external_storage_auth_token: blank(noIntegration),
  telesign_api_key: blank(noIntegration),
  sentry_dsn: blank(noIntegration),
  sentry_clientside_dsn: blank(noIntegration),
  sentry_enabled: off(noneIntegrated),
  static_objects_external_storage_url: blank(noneIntegrated),
  product_analytics_enabled: off(noneIntegrated),
  receptive_cluster_agents_enabled: off(noneIntegrated),
  performance_bar_enabled: off(noneIntegrated),
  // Its address may have a password.
  elasticsearch_url: blank(searchesInPostgres),
  elasticsearch_username: blank(searchesInPostgres),
  zoekt_indexing_enabled: off(searchesInPostgres),
  zoekt_search_enabled: off(searchesInPostgres),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof refusedProtections> {}
}

import { type Static, Type } from 'typebox'
import type { Visibility } from '#platform/db/schema.ts'
import { day, entity, integer, list, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { StorageSizes } from '#identity/namespaces/storage-sizes.ts'
import { NamespaceBasic } from '#identity/namespaces/entity.ts'
import { SharedWithGroup } from '#tenancy/shares/entity.ts'
import { AbilityNames } from '#tenancy/abilities/entity.ts'
import { UserBasic } from '#identity/users/basic.ts'
import {
  ExpirationPolicy,
  forEverybody,
  forMaintainers,
  schemasOf,
  type ValuesOf,
} from './project-settings.ts'
import { projectIdentity } from '#identity/namespaces/project-identity.ts'

// The fields of projects, apart from those that features of higher districts add: see entity.ts.

/** A project as everybody sees it, including anonymous callers. */
export const ProjectSimple = entity('ProjectSimple', {
  ...projectIdentity,
  default_branch: nullable(Type.String()),
  tag_list: Type.Array(Type.String(), { deprecated: true }),
  topics: list(Type.String()),
  ssh_url_to_repo: nullable(Type.String({ description: 'Null where the instance offers no SSH.' })),
  http_url_to_repo: Type.String(),
  web_url: Type.String(),
  readme_url: nullable(Type.String()),
  forks_count: integer(),
  avatar_url: nullable(Type.String()),
  star_count: integer(),
  last_activity_at: moment(),
  visibility: oneOf<Visibility>(['private', 'internal', 'public']),
  namespace: NamespaceBasic,
})

/** Fields for signed-in callers, apart from the settings. */
const rest = Type.Object({
  container_registry_image_prefix: Type.String(),
  _links: Type.Object({
    self: Type.String(),
    issues: Type.String(),
    merge_requests: Type.String(),
    repo_branches: Type.String(),
    labels: Type.String(),
    events: Type.String(),
    members: Type.String(),
    cluster_agents: Type.String(),
  }),
  marked_for_deletion_at: nullable(day()),
  marked_for_deletion_on: nullable(day()),
  packages_enabled: Type.Boolean({ deprecated: true }),
  empty_repo: Type.Boolean(),
  archived: Type.Boolean(),
  owner: Type.Optional(UserBasic),
  container_expiration_policy: Type.Object({ ...ExpirationPolicy.properties, next_run_at: moment() }),
  issues_enabled: Type.Boolean(),
  merge_requests_enabled: Type.Boolean(),
  wiki_enabled: Type.Boolean(),
  jobs_enabled: Type.Boolean(),
  snippets_enabled: Type.Boolean(),
  container_registry_enabled: Type.Boolean(),
  requirements_enabled: Type.Boolean(),
  security_and_compliance_enabled: Type.Boolean(),
  can_create_merge_request_in: Type.Boolean(),
  emails_disabled: Type.Boolean({ deprecated: true }),
  creator_id: nullable(integer()),
  import_status: Type.String(),
  description_html: Type.String(),
  updated_at: moment(),
  repository_storage: Type.Optional(Type.String()),
  shared_with_groups: Type.Array(SharedWithGroup),
  mirror: Type.Boolean(),
  secret_push_protection_enabled: Type.Boolean(),
  pre_receive_secret_detection_enabled: Type.Boolean(),
  compliance_frameworks: Type.Array(Type.String()),
})

/** Fields for those who may change issues. */
const issueEditing = Type.Object({ service_desk_address: nullable(Type.String()) })

/** Fields for those who may change the project, apart from the settings. */
const maintaining = Type.Object({
  import_url: nullable(Type.String({ description: 'Null unless it was imported from a URL.' })),
  import_type: nullable(Type.String()),
  import_error: nullable(Type.String()),
  ci_job_token_scope_enabled: Type.Boolean(),
  restrict_user_defined_variables: Type.Boolean({ deprecated: true }),
  runners_token: nullable(Type.String()),
  runner_token_expiration_interval: nullable(integer()),
})

const Access = Type.Object({ access_level: integer(), notification_level: integer() })

/** Fields that some requests or some callers get. */
export const onRequest = Type.Object({
  permissions: Type.Optional(
    Type.Object({ project_access: nullable(Access), group_access: nullable(Access) }),
  ),
  statistics: Type.Optional(
    Type.Object({
      commit_count: integer(),
      ...StorageSizes,
      container_registry_size: integer(),
    }),
  ),
  license_url: Type.Optional(nullable(Type.String())),
  license: Type.Optional(nullable(Type.Object({ key: Type.String(), name: Type.String() }))),
  custom_attributes: Type.Optional(Type.Array(Type.Object({ key: Type.String(), value: Type.String() }))),
  abilities: Type.Optional(AbilityNames),
})

/** Fields for signed-in callers. */
export const details = {
  ...rest.properties,
  ...schemasOf(forEverybody),
  ...Type.Partial(issueEditing).properties,
  ...Type.Partial(maintaining).properties,
  ...schemasOf(forMaintainers, Type.Optional),
}

export type ProjectSimpleFields = Static<typeof ProjectSimple>
export type MaintainersFields = Static<typeof maintaining> & ValuesOf<typeof forMaintainers>
export type ProjectDetails = Static<typeof rest> &
  ValuesOf<typeof forEverybody> &
  Partial<Static<typeof issueEditing> & MaintainersFields>
export type ProjectExtras = Static<typeof onRequest>

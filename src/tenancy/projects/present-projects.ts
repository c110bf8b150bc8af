import { nothingStored } from '#identity/namespaces/storage-sizes.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { projectFeatureLevels } from '#platform/access/project-features.ts'
import { projectFeatureOpen } from '#platform/access/project-feature-rules.ts'
import { avatarUrl } from '#identity/avatars/avatar-url.ts'
import { flat } from '#platform/http/flat.ts'
import { html } from '#platform/http/html.ts'
import { iso } from '#platform/http/time.ts'
import { presentNamespaceBasic } from '#identity/namespaces/entity.ts'
import { presentUserBasic } from '#identity/users/basic.ts'
import type { Audience, PresentOptions } from './audience.ts'
import type { EitherProject, ProjectFields } from './entity.ts'
import { projectExtensions } from './extension-points.ts'
import type { MaintainersFields, ProjectExtras, ProjectSimpleFields } from './fields.ts'
import type { ProjectRow } from './queries.ts'
import { presentedSettings, settingsForMaintainers } from './project-settings.ts'
import { olderNames, restricts } from './aliases.ts'
import { presentProjectIdentity } from '#identity/namespaces/project-identity.ts'

/** Presents projects in full. */
export function presentProjects(
  rows: readonly ProjectRow[],
  audience: Audience,
  wanted: PresentOptions = {},
): ProjectFields[] {
  return rows.map((row) => presentProject(row, audience, wanted))
}

/** Presents projects to anonymous callers. */
export function presentSimpleProjects(
  rows: readonly ProjectRow[],
  audience: Audience,
  wanted: PresentOptions = {},
): EitherProject[] {
  return rows.map((row) => presentSimpleProject(row, audience, wanted))
}

export function presentSimpleProject(
  row: ProjectRow,
  audience: Audience,
  wanted: PresentOptions = {},
): EitherProject {
  return {
    ...simple(row, audience),
    ...extras(row, audience, wanted),
    ...addedToSimple(row, audience, wanted),
  }
}

/** Presents one project in full. */
export function presentProject(
  row: ProjectRow,
  audience: Audience,
  wanted: PresentOptions = {},
): ProjectFields {
  const { site, registryHost, viewer } = audience
  const settings = presentedSettings(row.settings)
  const level = Math.max(row.direct_level, row.inherited_level)
  return {
    ...simple(row, audience),
    ...settings,
    ...olderNames(settings),
    container_registry_image_prefix: flat`${registryHost}/${row.full_path.toLowerCase()}`,
    _links: linksOf(flat`${site}/api/v4/projects/${row.id}`),
    marked_for_deletion_at: null,
    marked_for_deletion_on: null,
    empty_repo: true,
    archived: row.archived_here,
    ...(row.owner === null ? {} : { owner: presentUserBasic(row.owner, site) }),
    container_expiration_policy: {
      ...settings.container_expiration_policy,
      next_run_at: iso(row.created_at),
    },
    requirements_enabled: false,
    security_and_compliance_enabled: settings.security_and_compliance_access_level !== 'disabled',
    ...(viewer.admin || level >= levels.planner ? { service_desk_address: null } : {}),
    can_create_merge_request_in: mayProposeChanges(row, viewer, level),
    creator_id: row.creator_id,
    import_status: 'none',
    description_html: row.description ? html`<p>${row.description}</p>`.text : '',
    updated_at: iso(row.updated_at),
    ...(viewer.admin || level >= levels.maintainer ? forMaintainer(row) : {}),
    ...(viewer.admin ? { repository_storage: 'default' } : {}),
    shared_with_groups: row.shared_with_groups,
    mirror: false,
    secret_push_protection_enabled: false,
    pre_receive_secret_detection_enabled: false,
    compliance_frameworks: [],
    ...extras(row, audience, wanted),
    ...addedToSimple(row, audience, wanted),
    ...added(row, audience, wanted),
  }
}

function forMaintainer(row: ProjectRow): MaintainersFields {
  const settings = settingsForMaintainers(row.settings)
  return {
    ...settings,
    restrict_user_defined_variables: restricts(settings),
    import_url: null,
    import_type: null,
    import_error: null,
    ci_job_token_scope_enabled: false,
    runners_token: null,
    runner_token_expiration_interval: null,
  }
}

/** What presenting the fields that everybody sees needs to know of a project. */
export type SimpleRow = Pick<
  ProjectRow,
  | 'id'
  | 'description'
  | 'name'
  | 'full_name'
  | 'path'
  | 'full_path'
  | 'created_at'
  | 'topics'
  | 'avatar'
  | 'star_count'
  | 'last_activity_at'
  | 'visibility'
  | 'parent'
>

/** The fields that everybody sees, without what features say of them. */
export function simple(row: SimpleRow, { site, sshSite, defaultBranch }: Audience): ProjectSimpleFields {
  const web_url = flat`${site}/${row.full_path}`
  return {
    ...presentProjectIdentity(row),
    default_branch: defaultBranch,
    tag_list: row.topics,
    topics: row.topics,
    ssh_url_to_repo: sshSite === undefined ? null : flat`${sshSite}${row.full_path}.git`,
    http_url_to_repo: flat`${web_url}.git`,
    web_url,
    readme_url: null,
    forks_count: 0,
    avatar_url: avatarUrl(site, 'project', row.id, row.avatar),
    star_count: row.star_count,
    last_activity_at: iso(row.last_activity_at),
    visibility: row.visibility,
    namespace: presentNamespaceBasic(row.parent, site),
  }
}

/** The notification level of users who have not chosen one: their global level applies. */
const GLOBAL = 3

/** The levels that the viewer chose, as the feature that knows them says. */
function chosenBy(row: ProjectRow) {
  const said = projectExtensions.entries.map((extension) => extension.notificationLevels?.(row))
  return said.find((levels) => levels !== undefined) ?? { project: GLOBAL, group: GLOBAL }
}

function extras(row: ProjectRow, { viewer }: Audience, wanted: PresentOptions): ProjectExtras {
  const access = (level: number, notification_level: number) =>
    level === 0 ? null : { access_level: level, notification_level }
  const level = Math.max(row.direct_level, row.inherited_level)
  const inGroup = row.parent.kind === 'group'
  const chosen = chosenBy(row)
  return {
    ...(wanted.permissions && {
      permissions: {
        project_access: access(row.direct_level, chosen.project),
        group_access: inGroup ? access(row.inherited_level, chosen.group) : null,
      },
    }),
    ...(wanted.statistics && (viewer.admin || level >= levels.reporter) && { statistics: { ...noSizes } }),
    ...(wanted.license && { license_url: null, license: null }),
    ...(wanted.with_custom_attributes && viewer.admin && { custom_attributes: [] }),
  }
}

/** What features say of a project to signed-in callers. */
function added(row: ProjectRow, audience: Audience, wanted: PresentOptions) {
  return projectExtensions.entries.reduce<Partial<ProjectFields>>(
    (fields, extension) => Object.assign(fields, extension.present?.(row, audience, wanted)),
    {},
  )
}

/** What features say of a project to everybody. */
function addedToSimple(row: ProjectRow, audience: Audience, wanted: PresentOptions) {
  return projectExtensions.entries.reduce<Partial<ProjectSimpleFields & ProjectExtras>>(
    (fields, extension) => Object.assign(fields, extension.presentSimple?.(row, audience, wanted)),
    {},
  )
}

const noSizes = { commit_count: 0, ...nothingStored, container_registry_size: 0 }

/** Callers who can read the code of a project may propose changes, unless it is archived. */
function mayProposeChanges(row: ProjectRow, viewer: Viewer, level: number): boolean {
  if (viewer.id === null || row.archived_here) return false
  const accessContext = { level, admin: viewer.admin, features: projectFeatureLevels(row.settings) }
  const readsCode = viewer.admin || level >= levels.reporter || row.visibility !== 'private'
  return (
    readsCode &&
    projectFeatureOpen('repository', accessContext) &&
    projectFeatureOpen('merge_requests', accessContext)
  )
}

function linksOf(self: string) {
  return {
    self,
    issues: flat`${self}/issues`,
    merge_requests: flat`${self}/merge_requests`,
    repo_branches: flat`${self}/repository/branches`,
    labels: flat`${self}/labels`,
    events: flat`${self}/events`,
    members: flat`${self}/members`,
    cluster_agents: flat`${self}/cluster_agents`,
  }
}

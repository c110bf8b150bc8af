import { type Static, Type } from 'typebox'
import { memberLevels, noCustomRoles } from '#platform/access/roles.ts'
import { refusedParameter } from '#platform/http/later.ts'
import { MAX_AVATAR } from '#identity/avatars/read-avatar.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { orderParameters, pageParameters } from '#platform/http/order.ts'
import {
  ById,
  day,
  file,
  flag,
  hash,
  idOrPath,
  integer,
  list,
  MAX_PATH,
  moment,
  nullable,
  oneOf,
  oneOfNumbers,
  rules,
  text,
  type UploadedFile,
} from '#platform/http/schema.ts'
import type { ExtensionParameters } from './extension-points.ts'
import { furtherParameters } from './further-parameters.ts'
import { projectOrder } from './order.ts'
import { settingsWithoutField, schemasOf, presentedSettingSchemas } from './project-settings.ts'
import { type RequestedSettings, aliasParameters } from './aliases.ts'

const visibility = oneOf<Visibility>(['private', 'internal', 'public'])

/** The filters of all lists of projects. */
export const ProjectFilter = Type.Object({
  ...orderParameters(projectOrder),
  archived: Type.Optional(
    flag({ description: '`true` for archived projects only, `false` for all others.' }),
  ),
  active: Type.Optional(
    flag({ description: '`true` for projects that are not archived, `false` for archived ones.' }),
  ),
  visibility: Type.Optional(visibility),
  search: Type.Optional(text({ description: 'Part of the name, path or description.' })),
  search_namespaces: Type.Optional(flag({ description: 'Also searches the paths of groups and users.' })),
  owned: Type.Optional(flag({ description: 'Only projects that you own.' })),
  membership: Type.Optional(flag({ description: 'Only projects that you are a member of.' })),
  starred: Type.Optional(flag({ description: 'Only projects that you starred.' })),
  min_access_level: Type.Optional(
    oneOfNumbers(memberLevels, { description: 'Only projects in which you have at least this role.' }),
  ),
  id_after: Type.Optional(integer()),
  id_before: Type.Optional(integer()),
  last_activity_after: Type.Optional(moment()),
  last_activity_before: Type.Optional(moment()),
  updated_after: Type.Optional(moment()),
  updated_before: Type.Optional(moment()),
  with_issues_enabled: Type.Optional(flag()),
  with_merge_requests_enabled: Type.Optional(flag()),
  simple: Type.Optional(flag({ description: 'Only the fields that everybody sees.' })),
  statistics: Type.Optional(flag({ description: 'Adds sizes, for Reporters and above.' })),
  with_custom_attributes: Type.Optional(flag({ description: 'Adds custom attributes, for administrators.' })),
  repository_storage: Type.Optional(text({ description: 'Only for administrators.' })),
  include_pending_delete: Type.Optional(
    flag({ description: 'Has no effect: nobody sees projects that are being deleted.' }),
  ),
  include_hidden: Type.Optional(flag({ description: 'Has no effect: no project is hidden.' })),
  topic: Type.Optional(
    list(text(), {
      max: 20,
      comma: true,
      description: 'Names of topics. Only projects that have all of them.',
    }),
  ),
  topic_id: Type.Optional(integer()),
  imported: Type.Optional(flag({ description: 'Only projects that came from elsewhere.' })),
  // The following filters ask for things that no project has yet.
  with_programming_language: Type.Optional(text()),
  marked_for_deletion_on: Type.Optional(day()),
  wiki_checksum_failed: Type.Optional(flag()),
  repository_checksum_failed: Type.Optional(flag()),
  with_security_reports: Type.Optional(flag()),
  custom_attributes: Type.Optional(hash(text())),
})

export type Filter = Partial<Static<typeof ProjectFilter>>

export const GroupProjectFilter = Type.Object({
  ...ProjectFilter.properties,
  with_shared: Type.Boolean({ default: true, description: 'Also projects that are shared with the group.' }),
  include_subgroups: Type.Boolean({ default: false, description: 'Also projects of subgroups.' }),
  include_ancestor_groups: Type.Boolean({
    default: false,
    description: 'Also projects of parent groups.',
  }),
})

const name = text({ max: 255, filled: true })
const path = text({ max: 255, filled: true })
const description = nullable(text({ max: 2_000 }))

const { repository_object_format, ...changeable } = presentedSettingSchemas

const common = {
  ...aliasParameters,
  ...schemasOf(changeable, Type.Optional),
  ...schemasOf(settingsWithoutField, Type.Optional),
  description: Type.Optional(description),
  visibility: Type.Optional(visibility),
  avatar: Type.Optional(nullable(file({ max: MAX_AVATAR, description: 'A blank value removes it.' }))),
  topics: Type.Optional(
    list(text(), {
      comma: true,
      description: 'All topics, by name. The server creates those that do not exist.',
    }),
  ),
  tag_list: Type.Optional(
    list(text(), { comma: true, deprecated: true, description: 'The older name of `topics`.' }),
  ),
}

interface Common extends RequestedSettings, ExtensionParameters {
  avatar?: UploadedFile | null
  topics?: string[]
  tag_list?: string[]
  description?: string | null
  visibility?: Visibility
}

export interface NewProjectWishes extends Common {
  name?: string
  path?: string
  namespace_id?: number
}

const creation = {
  ...common,
  repository_object_format: Type.Optional(repository_object_format.schema),
  name: Type.Optional(name),
  path: Type.Optional(path),
  namespace_id: Type.Optional(
    integer({ description: "The id of a group's or user's namespace. Your own by default." }),
  ),
}

/** The parameters of a new project with those of features, which must be installed. */
const allOfCreation = () => ({ ...creation, ...furtherParameters('creation', Object.keys(creation)) })

export const newProject = () =>
  Type.Unsafe<NewProjectWishes>(Type.Object(allOfCreation(), rules({ atLeastOneOf: ['name', 'path'] })))
export const newProjectOfUser = () => Type.Unsafe<NewProjectWishes>(Type.Object({ ...allOfCreation(), name }))

export interface ProjectChanges extends Common {
  name?: string
  path?: string
  archived?: boolean
}

const changes = {
  ...common,
  name: Type.Optional(name),
  path: Type.Optional(path),
  archived: Type.Optional(flag()),
}

export const projectChanges = () => {
  const all = { ...changes, ...furtherParameters('changes', Object.keys(changes)) }
  return Type.Unsafe<ProjectChanges>(Type.Object(all, rules({ atLeastOneOf: Object.keys(all) })))
}

export const Detail = Type.Object({
  statistics: Type.Boolean({ default: false, description: 'Adds sizes, for Reporters and above.' }),
  license: Type.Boolean({ default: false, description: 'Adds the license of the repository.' }),
  with_custom_attributes: Type.Boolean({
    default: false,
    description: 'Adds custom attributes, for administrators.',
  }),
  with_abilities: Type.Boolean({
    default: false,
    description: 'Adds what the caller may do in the project. An addition of Forgelet.',
  }),
})

export const Deletion = Type.Object({
  permanently_remove: Type.Boolean({
    default: false,
    description: 'Needs `full_path`. Projects are removed at once without it as well.',
  }),
  full_path: Type.Optional(text({ max: MAX_PATH, description: 'Must be the path of the project.' })),
})

export const Transfer = Type.Object({
  namespace: idOrPath({ description: 'The id or path of a group or user.' }),
})

export const Search = Type.Object({ ...pageParameters, search: Type.Optional(text()) })

export const NewProjectShare = Type.Object({
  group_id: integer(),
  group_access: oneOfNumbers(memberLevels),
  expires_at: Type.Optional(nullable(day({ description: 'The day on which sharing ends.' }))),
  member_role_id: Type.Optional(integer(refusedParameter(noCustomRoles.member_role_id))),
})
export const ByGroup = Type.Object({ ...ById.properties, group_id: integer() })

export const Users = Type.Object({
  ...Search.properties,
  skip_users: Type.Optional(list(integer(), { comma: true, description: 'Ids to leave out.' })),
})

export const GroupsOfProject = Type.Object({
  ...Search.properties,
  skip_groups: Type.Optional(list(integer(), { comma: true, description: 'Ids to leave out.' })),
  with_shared: Type.Boolean({ default: false, description: 'Also groups that the project is shared with.' }),
  shared_visible_only: Type.Boolean({
    default: false,
    description: 'Has no effect: the list never shows groups that the caller cannot see.',
  }),
  shared_min_access_level: Type.Optional(oneOfNumbers(memberLevels)),
})

export const InvitedGroups = Type.Object({
  ...Search.properties,
  relation: Type.Optional(list(oneOf(['direct', 'inherited']), { comma: true })),
  min_access_level: Type.Optional(
    oneOfNumbers(memberLevels, { description: 'Only projects in which you have at least this role.' }),
  ),
  with_custom_attributes: Type.Optional(flag()),
})

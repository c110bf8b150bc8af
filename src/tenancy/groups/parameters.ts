import { type Static, Type } from 'typebox'
import { memberLevels, noCustomRoles } from '#platform/access/roles.ts'
import { refusedParameter } from '#platform/http/later.ts'
import { MAX_AVATAR } from '#identity/avatars/read-avatar.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { type ListOrder, orderParameters, pageParameters } from '#platform/http/order.ts'
import {
  ById,
  day,
  file,
  flag,
  integer,
  list,
  MAX_PATH,
  nullable,
  oneOf,
  oneOfNumbers,
  rules,
  text,
} from '#platform/http/schema.ts'
import { BranchProtection } from './branch-protection.ts'
import { allGroupsOrder, groupOrder, sharedGroupsOrder } from './queries.ts'
import { DetailSettings, UnpresentedSettings, OwnerSettings, PresentedSettings } from './group-settings.ts'

const visibility = oneOf<Visibility>(['private', 'internal', 'public'])

/** The attributes that a request can set when it creates or changes a group. */
const attributes = {
  description: Type.Optional(nullable(text({ max: 500 }))),
  visibility: Type.Optional(visibility),
  avatar: Type.Optional(nullable(file({ max: MAX_AVATAR, description: 'A blank value removes it.' }))),
  emails_disabled: Type.Optional(
    flag({ deprecated: true, description: 'The opposite of `emails_enabled`, which takes precedence.' }),
  ),
  default_branch_protection: Type.Optional(
    oneOfNumbers([0, 1, 2, 3, 4], {
      deprecated: true,
      description: 'The older form of `default_branch_protection_defaults`.',
    }),
  ),
  ...Type.Partial(PresentedSettings).properties,
  default_branch_protection_defaults: Type.Optional(Type.Partial(BranchProtection)),
  ...Type.Partial(DetailSettings).properties,
  ...Type.Partial(OwnerSettings).properties,
  ...Type.Partial(UnpresentedSettings).properties,
}
const name = text({ max: 255, filled: true })
const path = text({ filled: true })

export const NewGroupParameters = Type.Object({
  name,
  path,
  parent_id: Type.Optional(
    integer({ description: 'The parent group. Without it, the group is a top-level group.' }),
  ),
  organization_id: Type.Optional(integer()),
  ...attributes,
})

const changes = { name: Type.Optional(name), path: Type.Optional(path), ...attributes }
export const GroupChanges = Type.Object(changes, rules({ atLeastOneOf: Object.keys(changes) }))
export type GroupChanges = Partial<Static<typeof GroupChanges>>

const choice = {
  skip_groups: Type.Optional(list(integer(), { comma: true, description: 'Ids to leave out.' })),
  visibility: Type.Optional(visibility),
  search: Type.Optional(text({ description: 'Part of the name or path.' })),
  min_access_level: Type.Optional(
    oneOfNumbers(memberLevels, { description: 'Only groups in which the caller has at least this role.' }),
  ),
  with_custom_attributes: Type.Boolean({ default: false }),
}

const filter = {
  ...choice,
  statistics: Type.Boolean({ default: false, description: 'Adds sizes, for administrators.' }),
  archived: Type.Optional(flag()),
  all_available: Type.Optional(
    flag({
      description: 'False: only groups that the caller is a member of, with their parents and subgroups.',
    }),
  ),
  owned: Type.Boolean({ default: false, description: 'Only groups and projects that the caller owns.' }),
  top_level_only: Type.Boolean({ default: false }),
  marked_for_deletion_on: Type.Optional(day()),
  active: Type.Optional(
    flag({
      description:
        'Only groups that are neither archived (themselves or by a parent) nor marked for deletion.',
    }),
  ),
  repository_storage: Type.Optional(text({ max: 255 })),
}

const listed = <P extends object>(parameters: P, order: ListOrder) => ({
  ...orderParameters(order),
  ...parameters,
})

export const AllGroups = Type.Object(listed(filter, allGroupsOrder))
export const GroupsBelow = Type.Object(listed(filter, groupOrder))
export const SharedGroups = Type.Object(listed(choice, sharedGroupsOrder))
export const InvitedGroups = Type.Object({
  ...pageParameters,
  relation: Type.Optional(
    list(oneOf(['direct', 'inherited']), {
      comma: true,
      description: 'Shared with this group directly, or with a parent group.',
    }),
  ),
  search: Type.Optional(text({ description: 'Part of the name or path.' })),
  min_access_level: choice.min_access_level,
  with_custom_attributes: choice.with_custom_attributes,
})
export const TransferLocations = Type.Object({ ...pageParameters, search: Type.Optional(text()) })

export const Detail = Type.Object({
  with_custom_attributes: choice.with_custom_attributes,
  with_projects: Type.Boolean({
    default: true,
    description: 'Deprecated: `projects` and `shared_projects`, at most 100 of each.',
  }),
})

export const Deletion = Type.Object({
  permanently_remove: Type.Boolean({ default: false }),
  full_path: Type.Optional(text({ max: MAX_PATH, description: 'The path of the group, to be sure.' })),
})

export const Transfer = Type.Object({
  group_id: Type.Optional(
    integer({ description: 'The new parent group. Without it, the group becomes a top-level group.' }),
  ),
})

export const NewGroupShare = Type.Object({
  group_id: integer(),
  group_access: oneOfNumbers(memberLevels),
  expires_at: Type.Optional(day()),
  member_role_id: Type.Optional(integer(refusedParameter(noCustomRoles.member_role_id))),
})
export const ByGroup = Type.Object({ ...ById.properties, group_id: integer() })

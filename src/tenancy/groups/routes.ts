import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { authorizeGroup } from '#platform/access/authorize.ts'
import { levels } from '#platform/access/roles.ts'
import { anyone, group, reads, writes } from '#platform/access/route-access.ts'
import { withStoredAvatar } from '#identity/avatars/store-avatar.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { badRequest } from '#platform/refusals.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, Message } from '#platform/http/schema.ts'
import { lockNode } from '#identity/namespaces/lock.ts'
import { leastVisible } from '#identity/namespaces/tree.ts'
import { assertAllowed } from '#identity/namespaces/visibility.ts'
import { findOrganization } from '#identity/organizations/queries.ts'
import { audienceOf } from '#tenancy/projects/audience.ts'
import type { AddressRules } from '#platform/access/address-rules.ts'
import { archiveGroup } from './archive-group.ts'
import { createGroup } from './create-group.ts'
import { deleteGroup } from './delete-group.ts'
import { detailAfter } from './detail-after.ts'
import { settingsFrom } from './edit.ts'
import { Group, groupDetailEntity, presentGroupDetail, presentGroups } from './entity.ts'
import { AllGroups, Deletion, Detail, GroupChanges, NewGroupParameters } from './parameters.ts'
import { assertSettings, assertSubgroups, assertTopLevelGroups } from './policy.ts'
import { allGroupsOrder, filterGroups, groupsFor } from './queries.ts'
import type { GroupSettings } from './group-settings.ts'
import { updateGroup } from './update-group.ts'

/** Routes for groups; tree-routes.ts and share-routes.ts cover what is in and around them. */
export const groupRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.get(
    '/groups',
    {
      config: reads(anyone, { anonymous: true }),
      schema: {
        summary: 'List the groups that the caller may see',
        querystring: AllGroups,
        response: { 200: Type.Array(Group) },
      },
    },
    async (req, reply) => {
      const groups = filterGroups(groupsFor(db, req.viewer), req.query, req.viewer)
      return presentGroups(db, await paginate(req, reply, groups, allGroupsOrder), req, req.query)
    },
  )

  app.get(
    '/groups/:id',
    {
      config: reads(group('read_group'), { anonymous: true }),
      schema: {
        summary: 'Get a group',
        params: ById,
        querystring: Detail,
        response: { 200: groupDetailEntity() },
      },
    },
    async (req) => {
      const { container, accessContext } = req.group()
      const { with_projects: withProjects, with_custom_attributes } = req.query
      const owner = req.viewer.admin || accessContext.level >= levels.owner
      return presentGroupDetail(db, container, {
        ...audienceOf(req),
        owner,
        withProjects,
        with_custom_attributes,
      })
    },
  )

  app.post(
    '/groups',
    {
      config: writes(anyone),
      schema: {
        summary: 'Create a group or, with `parent_id`, a subgroup',
        body: NewGroupParameters,
        response: { 201: groupDetailEntity() },
      },
    },
    async (req) => {
      const { organization_id: organizationId, parent_id, ...asked } = req.body
      const settings = settingsFrom(asked)
      assertSettings(req.viewer, {}, settings)
      const parameters = await withStoredAvatar(services, asked)
      const created = await req.write(async (tx) => {
        if (organizationId !== undefined) await findOrganization(tx.db, organizationId)
        const parent = await openParent(req, tx, parent_id)
        const { default_group_visibility: standard } = services.settings()
        const visibility = parameters.visibility ?? leastVisible(standard, parent?.visibility ?? 'public')
        const inside = { visibility, rules: visibilityRules(req), parentId: parent?.id ?? null }
        const { id } = await createGroup(tx, { ...parameters, ...inside, organizationId, settings })
        return detailAfter(req, tx, id)
      })
      await followAddressRules(services, settingsFrom(req.body))
      return created
    },
  )

  app.put(
    '/groups/:id',
    {
      config: writes(group('update_group')),
      schema: {
        summary: 'Change a group',
        params: ById,
        body: GroupChanges,
        refuses: [412],
        response: { 200: groupDetailEntity() },
      },
    },
    async (req) => {
      const { container } = req.group()
      const { name, path, description, visibility } = req.body
      const { avatar } = await withStoredAvatar(services, req.body)
      const changed = await req.write(async (tx) => {
        const locked = await lockNode(tx, container.id)
        assertUnmodified(req, locked.updated_at)
        const settings = settingsFrom(req.body, locked.settings)
        assertSettings(req.viewer, locked.settings, settings)
        if (visibility !== undefined && visibility !== locked.visibility) {
          assertAllowed(visibility, visibilityRules(req))
        }
        await updateGroup(tx, locked, { name, path, description, visibility, avatar, settings })
        return detailAfter(req, tx, container.id)
      })
      await followAddressRules(services, settingsFrom(req.body))
      return changed
    },
  )

  app.delete(
    '/groups/:id',
    {
      config: writes(group('delete_group')),
      schema: {
        summary: 'Delete a group with everything in it',
        params: ById,
        querystring: Deletion,
        refuses: [412],
        response: { 202: Message },
      },
    },
    async (req) => {
      const { full_path, permanently_remove } = req.query
      await req.write(async (tx) => {
        const locked = await lockNode(tx, req.group().container.id)
        assertUnmodified(req, locked.updated_at)
        if (full_path === undefined ? permanently_remove : full_path !== locked.full_path) {
          throw badRequest('full_path is not the path of the group')
        }
        await deleteGroup(tx, locked)
      })
      return { message: '202 Accepted' }
    },
  )

  for (const [verb, archived] of [
    ['archive', true],
    ['unarchive', false],
  ] as const) {
    app.post(
      `/groups/:id/${verb}`,
      {
        config: writes(group('archive_group')),
        schema: {
          summary: archived ? 'Make a group read-only' : 'Make an archived group writable again',
          params: ById,
          response: { 201: groupDetailEntity() },
        },
      },
      async (req) => {
        const { container } = req.group()
        return req.write(async (tx) => {
          await archiveGroup(tx, container, archived)
          return detailAfter(req, tx, container.id)
        })
      },
    )
  }
}

/** Applies changed address ranges at once in this process, so that the caller sees them in force. */
async function followAddressRules(
  { addressRules }: { readonly addressRules: AddressRules },
  { ip_restriction_ranges }: Partial<GroupSettings>,
): Promise<void> {
  if (ip_restriction_ranges !== undefined) await addressRules.reload()
}

/** Authorizes the parent of a new group, if there is one. @throws 403 and 404 according to the caller's rights there */
async function openParent(req: FastifyRequest, tx: Tx, parentId: number | undefined) {
  if (parentId === undefined) {
    await assertTopLevelGroups(tx.db, req.viewer)
    return undefined
  }
  const parent = await authorizeGroup(tx.db, req.viewer, String(parentId), 'create_subgroup')
  assertSubgroups(parent)
  return parent.container
}

function visibilityRules(req: FastifyRequest) {
  const { restricted_visibility_levels: restricted } = req.server.services.settings()
  return { admin: req.viewer.admin, restricted }
}

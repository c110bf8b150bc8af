import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { ById, entity, integer } from '#platform/http/schema.ts'
import { lockProject } from '#tenancy/projects/lock-project.ts'
import { completed, type StoredSettings } from '#tenancy/projects/project-settings.ts'
import { updateProject } from '#tenancy/projects/update-project.ts'
import { ApprovalSettingsChanges } from './parameters.ts'
import { type ApprovalSettings, approvalSettingsOf, changeApprovalSettings } from './settings.ts'
import { approvalRules as tier } from './tier.ts'

const older = <T extends object>(schema: T): T => ({ ...schema, deprecated: true })

const ApprovalSettingsEntity = entity('ProjectApprovals', {
  approvers: older(Type.Array(Type.Object({}))),
  approver_groups: older(Type.Array(Type.Object({}))),
  approvals_before_merge: older(integer()),
  reset_approvals_on_push: Type.Boolean(),
  selective_code_owner_removals: Type.Boolean(),
  disable_overriding_approvers_per_merge_request: Type.Boolean(),
  merge_requests_author_approval: Type.Boolean(),
  merge_requests_disable_committers_approval: Type.Boolean(),
  require_password_to_approve: older(Type.Boolean()),
  require_reauthentication_to_approve: Type.Boolean(),
})

const present = (
  settings: ApprovalSettings,
  stored: StoredSettings,
): Static<typeof ApprovalSettingsEntity> => ({
  approvers: [],
  approver_groups: [],
  approvals_before_merge: completed(stored).approvals_before_merge,
  ...settings,
  require_password_to_approve: settings.require_reauthentication_to_approve,
})

/** What a project demands of approvals. */
export const approvalSettingsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.get(
    '/projects/:id/approvals',
    {
      config: reads(project('read_merge_request'), { tier }),
      schema: {
        summary: 'Get the approval settings of a project',
        params: ById,
        response: { 200: ApprovalSettingsEntity },
      },
    },
    async (req) => {
      const { id } = req.project().container
      const row = await db
        .selectFrom('projects')
        .select(sql<StoredSettings>`settings`.as('settings'))
        .where('id', '=', id)
        .executeTakeFirst()
      return present(await approvalSettingsOf(db, id), row?.settings ?? {})
    },
  )

  app.post(
    '/projects/:id/approvals',
    {
      config: writes(project('admin_approval_rule'), { tier }),
      schema: {
        summary: 'Change the approval settings of a project',
        params: ById,
        body: ApprovalSettingsChanges,
        response: { 201: ApprovalSettingsEntity },
      },
    },
    async (req) => {
      const authorized = req.project()
      const { approvals_before_merge, require_password_to_approve: older, ...given } = req.body
      const reauthentication = given.require_reauthentication_to_approve ?? older
      const changes = {
        ...given,
        ...(reauthentication === undefined ? {} : { require_reauthentication_to_approve: reauthentication }),
      }
      const by = { viewer: req.viewer, policy: services.settings() }
      return req.write(async (tx) => {
        const locked = await lockProject(tx, authorized.container.namespace_id)
        if (approvals_before_merge !== undefined) {
          await updateProject(tx, authorized, locked, { approvals_before_merge }, by)
        }
        const settings = await changeApprovalSettings(tx, locked, changes)
        const number = approvals_before_merge ?? completed(locked.settings).approvals_before_merge
        return present(settings, { approvals_before_merge: number })
      })
    },
  )
}

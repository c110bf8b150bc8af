import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from 'kysely'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { ById } from '#platform/http/schema.ts'
import { lockProject } from '#tenancy/projects/lock-project.ts'
import { completed, type StoredSettings } from '#tenancy/projects/project-settings.ts'
import { updateProject } from '#tenancy/projects/update-project.ts'
import { ApprovalSettingsChanges } from './parameters.ts'
import { approvalSettingsOf, changeApprovalSettings } from './settings.ts'
import { ApprovalSettingsEntity, presentApprovalSettings } from './settings-entity.ts'
import { approvalRules as tier } from './tier.ts'

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
      return presentApprovalSettings(await approvalSettingsOf(db, id), row?.settings ?? {})
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
        return presentApprovalSettings(settings, { approvals_before_merge: number })
      })
    },
  )
}

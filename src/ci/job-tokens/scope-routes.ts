import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { authorizeGroup, authorizeProject } from '#platform/access/authorize.ts'
import { hasAllowList } from '#platform/access/job-reach.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { pageParameters } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, flag, integer, NoContent } from '#platform/http/schema.ts'
import { invalid } from '#platform/refusals.ts'
import { InvitedGroup, presentInvitedGroup } from '#tenancy/groups/entity.ts'
import { AllowedProject, GroupLink, JobTokenScope, presentAllowedProject, ProjectLink } from './entity.ts'
import { allowedGroupOrder, allowedGroups, allowedProjectOrder, allowedProjects } from './queries.ts'
import { changeScope, extendScope, reduceScope } from './write-scope.ts'

const Pages = Type.Object(pageParameters)
const target_project_id = integer({ minimum: 1 })
const target_group_id = integer({ minimum: 1 })
const ByProject = Type.Object({ ...ById.properties, target_project_id })
const ByGroup = Type.Object({ ...ById.properties, target_group_id })

/** Which jobs a project lets in by their tokens, besides its own. */
export const scopeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const scope = '/projects/:id/job_token_scope'
  const isEnforced = () => services.settings().enforce_ci_inbound_job_token_scope_enabled

  app.get(
    scope,
    {
      config: reads(project('read_job_token_scope')),
      schema: {
        summary: 'Get whether the allow-list of a project counts',
        params: ById,
        response: { 200: JobTokenScope },
      },
    },
    (req) => ({
      inbound_enabled: isEnforced() || hasAllowList(req.project().container.settings),
      outbound_enabled: false,
    }),
  )

  app.patch(
    scope,
    {
      config: writes(project('admin_job_token_scope')),
      schema: {
        summary: 'Change whether the allow-list of a project counts',
        description: 'Where it does not, the jobs of all projects are let in.',
        params: ById,
        body: Type.Object({ enabled: flag() }),
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { enabled } = req.body
      if (!enabled && isEnforced())
        throw invalid({ enabled: ['cannot be false: the instance enforces allow-lists'] })
      const { container } = req.project()
      await req.write((tx) => changeScope(tx, container, enabled))
    },
  )

  app.get(
    `${scope}/allowlist`,
    {
      config: reads(project('read_job_token_scope')),
      schema: {
        summary: 'List the projects whose jobs a project lets in',
        description: 'The project itself is one of them. Oldest first.',
        params: ById,
        querystring: Pages,
        response: { 200: Type.Array(AllowedProject) },
      },
    },
    async (req, reply) => {
      const allowed = allowedProjects(db, req.project().container.id, req.viewer)
      const rows = await paginate(req, reply, allowed, allowedProjectOrder)
      return rows.map((row) => presentAllowedProject(row, req.site))
    },
  )

  app.post(
    `${scope}/allowlist`,
    {
      config: writes(project('admin_job_token_scope')),
      schema: {
        summary: 'Let the jobs of another project in',
        description: 'They can do what whoever started them may. At most 200 projects and groups.',
        params: ById,
        body: Type.Object({ target_project_id }),
        response: { 201: ProjectLink },
      },
    },
    async (req) => {
      const { container } = req.project()
      const { container: target } = await authorizeProject(
        db,
        req.viewer,
        String(req.body.target_project_id),
        'read_project',
      )
      await req.write((tx) => extendScope(tx, container, { ...target, kind: 'Project' }))
      return { source_project_id: container.id, target_project_id: target.id }
    },
  )

  app.delete(
    `${scope}/allowlist/:target_project_id`,
    {
      config: writes(project('admin_job_token_scope')),
      schema: {
        summary: 'Let the jobs of another project in no more',
        params: ByProject,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { container } = req.project()
      const id = req.params.target_project_id
      await req.write((tx) => reduceScope(tx, container, { kind: 'Project', id }))
    },
  )

  app.get(
    `${scope}/groups_allowlist`,
    {
      config: reads(project('read_job_token_scope')),
      schema: {
        summary: 'List the groups whose jobs a project lets in',
        description: 'Those of all projects below them. Oldest first.',
        params: ById,
        querystring: Pages,
        response: { 200: Type.Array(InvitedGroup) },
      },
    },
    async (req, reply) => {
      const rows = await paginate(
        req,
        reply,
        allowedGroups(db, req.project().container.id),
        allowedGroupOrder,
      )
      return rows.map((row) => presentInvitedGroup(row, req.site))
    },
  )

  app.post(
    `${scope}/groups_allowlist`,
    {
      config: writes(project('admin_job_token_scope')),
      schema: {
        summary: 'Let the jobs of a group in',
        description: 'Those of all projects below it. At most 200 projects and groups.',
        params: ById,
        body: Type.Object({ target_group_id }),
        response: { 201: GroupLink },
      },
    },
    async (req) => {
      const { container } = req.project()
      const { container: target } = await authorizeGroup(
        db,
        req.viewer,
        String(req.body.target_group_id),
        'read_group',
      )
      await req.write((tx) => extendScope(tx, container, { ...target, kind: 'Group' }))
      return { source_project_id: container.id, target_group_id: target.id }
    },
  )

  app.delete(
    `${scope}/groups_allowlist/:target_group_id`,
    {
      config: writes(project('admin_job_token_scope')),
      schema: {
        summary: 'Let the jobs of a group in no more',
        params: ByGroup,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { container } = req.project()
      const id = req.params.target_group_id
      await req.write((tx) => reduceScope(tx, container, { kind: 'Group', id }))
    },
  )
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { authorizeGroupOf } from '#tenancy/groups/authorize-group-of.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById } from '#platform/http/schema.ts'
import { createLabel } from './create-label.ts'
import { GroupLabel, presentGroupLabel, presentProjectLabel, ProjectLabel } from './entity.ts'
import {
  LabelScopeParameters,
  ByLabel,
  Filter,
  NamedLabelChanges,
  NewProjectLabel,
  ProjectLabelChanges,
} from './parameters.ts'
import { promoteLabel } from './promote-label.ts'
import { filterLabels, findLabel, labelOrder, labelsAt, labelsFor, lockLabel } from './queries.ts'
import { prioritizeLabel, updateLabel } from './update-label.ts'
import { useInProject } from './use.ts'

/** Routes for labels of projects; group-routes.ts has those of groups, shared-routes.ts those that both share. */
export const labelRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/projects/:id/labels',
    {
      config: reads(project('read_label'), { anonymous: true }),
      schema: {
        summary: 'List the labels of a project',
        params: ById,
        querystring: Filter,
        response: { 200: Type.Array(ProjectLabel) },
      },
    },
    async (req, reply) => {
      const { container } = req.project()
      const labels = labelsAt(
        labelsFor(db, req.viewer, container.id),
        container,
        req.query.include_ancestor_groups,
      )
      const wanted = filterLabels(labels, req.query).$if(req.query.with_counts, (q) =>
        q.select(useInProject(req.viewer, req.project()).as('use')),
      )
      return (await paginate(req, reply, wanted, labelOrder)).map(presentProjectLabel)
    },
  )

  app.get(
    '/projects/:id/labels/:label_id',
    {
      config: reads(project('read_label'), { anonymous: true }),
      schema: {
        summary: 'Get a label of a project',
        params: ByLabel,
        querystring: LabelScopeParameters,
        response: { 200: ProjectLabel },
      },
    },
    async (req) => {
      const { container } = req.project()
      const labels = labelsAt(
        labelsFor(db, req.viewer, container.id),
        container,
        req.query.include_ancestor_groups,
      )
      return presentProjectLabel(await findLabel(labels, req.params.label_id))
    },
  )

  app.post(
    '/projects/:id/labels',
    {
      config: writes(project('admin_label')),
      schema: {
        summary: 'Create a label in a project',
        params: ById,
        body: NewProjectLabel,
        refuses: [409],
        response: { 201: ProjectLabel },
      },
    },
    async (req) => {
      const { container } = req.project()
      const label = await req.write(async (tx) => {
        const created = await createLabel(tx, container, req.body)
        const { priority = null } = req.body
        if (priority !== null) await prioritizeLabel(tx, container.id, created.id, priority)
        return { ...created, priority, is_project_label: true }
      })
      return presentProjectLabel(label)
    },
  )

  app.put(
    '/projects/:id/labels/:label_id',
    {
      config: writes(project('admin_label')),
      schema: {
        summary: 'Change a label of a project',
        params: ByLabel,
        body: ProjectLabelChanges,
        refuses: [409, 412],
        response: { 200: ProjectLabel },
      },
    },
    (req) => change(req, req.params.label_id, req.body),
  )

  app.put(
    '/projects/:id/labels',
    {
      config: writes(project('admin_label')),
      schema: {
        summary: 'Change a label of a project, named in the body',
        deprecated: true,
        params: ById,
        body: NamedLabelChanges,
        refuses: [409, 412],
        response: { 200: ProjectLabel },
      },
    },
    (req) => change(req, String(req.body.label_id ?? req.body.name), req.body),
  )

  app.put(
    '/projects/:id/labels/:label_id/promote',
    {
      config: writes(project('promote_label')),
      schema: {
        summary: 'Promote a label to the group',
        description:
          "Needs the right to change the group's labels, too. Labels of the same name in other projects below are replaced by this one.",
        params: ByLabel,
        response: { 200: GroupLabel },
      },
    },
    async (req) => {
      const { container } = req.project()
      return req.write(async (tx) => {
        const labels = labelsAt(labelsFor(tx.db, req.viewer), container, false)
        const found = await findLabel(labels, req.params.label_id)
        await authorizeGroupOf(tx, req.viewer, container, 'admin_label')
        const { id } = await promoteLabel(tx, container.parent_id, found)
        return presentGroupLabel(
          await labelsFor(tx.db, req.viewer).where('l.id', '=', id).executeTakeFirstOrThrow(),
        )
      })
    },
  )
}

async function change(req: FastifyRequest, key: string, changes: Static<typeof ProjectLabelChanges>) {
  const { container } = req.project()
  return req.write(async (tx) => {
    const labels = labelsAt(labelsFor(tx.db, req.viewer, container.id), container, false)
    const label = await lockLabel(labels, key, changes.new_name !== undefined)
    assertUnmodified(req, label.updated_at)
    const changed = await updateLabel(tx, container, label, changes)
    const { priority = label.priority } = changes
    if (priority !== label.priority) await prioritizeLabel(tx, container.id, label.id, priority)
    return presentProjectLabel({ ...changed, priority })
  })
}

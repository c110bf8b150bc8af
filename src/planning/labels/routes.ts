import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { authorizeGroupOf } from '#tenancy/groups/authorize-group-of.ts'
import { createLabel } from './create-label.ts'
import { deleteLabel } from './delete-label.ts'
import { GroupLabel, presentGroupLabel, presentProjectLabel, ProjectLabel } from './entity.ts'
import { ByLabel, groupLabels, LabelByIdOrName, projectLabels } from './parameters.ts'
import { promoteLabel } from './promote-label.ts'
import {
  type Container,
  filterLabels,
  findLabel,
  labelOrder,
  labelsInReach,
  labelsAt,
  labelsFor,
  lockLabel,
} from './queries.ts'
import { subscribeLabel, unsubscribeLabel } from './subscribe-label.ts'
import { type LabelChanges, updateLabel } from './update-label.ts'
import { useInGroup, useInProject } from './use.ts'

/** GitLab 12.4 has labels at paths of their own. */
const since = '2019-10-22'

/** Routes for labels of projects and groups. */
export const labelRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const { kind, subject, open } of projectsAndGroups) {
    const collection = `/${kind}s/:id/labels` as const
    const Label = kind === 'project' ? ProjectLabel : GroupLabel
    const present = kind === 'project' ? presentProjectLabel : presentGroupLabel
    const { Filter, Scope, NewLabel, Changes, NamedChanges } =
      kind === 'project' ? projectLabels : groupLabels
    const reading = reads(subject('read_label'), { anonymous: true })
    const writing = writes(subject('admin_label'))
    const useIn = (req: FastifyRequest) =>
      kind === 'project' ? useInProject(req.viewer, req.project()) : useInGroup(req.viewer, req.group())

    app.get(
      collection,
      {
        config: reading,
        schema: {
          summary: `List the labels of a ${kind}`,
          params: ById,
          querystring: Filter,
          response: { 200: Type.Array(Label) },
        },
      },
      async (req, reply) => {
        const labels = labelsInReach(db, req.viewer, open(req).container, req.query)
        const filtered = filterLabels(labels, req.query).$if(req.query.with_counts, (q) =>
          q.select(useIn(req).as('use')),
        )
        return (await paginate(req, reply, filtered, labelOrder)).map(present)
      },
    )

    app.get(
      `${collection}/:label_id`,
      {
        config: reading,
        schema: {
          summary: `Get a label of a ${kind}`,
          params: ByLabel,
          querystring: Scope,
          response: { 200: Label },
        },
      },
      async (req) => {
        const labels = labelsInReach(db, req.viewer, open(req).container, req.query)
        return present(await findLabel(labels, req.params.label_id))
      },
    )

    app.post(
      collection,
      {
        config: writing,
        schema: {
          summary: `Create a label in a ${kind}`,
          params: ById,
          body: NewLabel,
          refuses: [409],
          response: { 201: Label },
        },
      },
      async (req) => present(await req.write((tx) => createLabel(tx, open(req).container, req.body))),
    )

    app.put(
      `${collection}/:label_id`,
      {
        config: writing,
        schema: {
          summary: `Change a label of a ${kind}`,
          params: ByLabel,
          body: Changes,
          refuses: [409, 412],
          response: { 200: Label },
        },
      },
      async (req) => present(await change(req, open(req).container, req.params.label_id, req.body)),
    )

    app.put(
      collection,
      {
        config: writing,
        schema: {
          summary: `Change a label of a ${kind}, named in the body`,
          deprecated: { since, successor: `\`PUT …/labels/:label_id\`` },
          params: ById,
          body: NamedChanges,
          refuses: [409, 412],
          response: { 200: Label },
        },
      },
      async (req) => present(await change(req, open(req).container, named(req.body), req.body)),
    )

    app.delete(
      `${collection}/:label_id`,
      {
        config: writing,
        schema: {
          summary: `Delete a label of a ${kind}`,
          params: ByLabel,
          refuses: [412],
          response: { 204: NoContent },
        },
      },
      (req) => remove(req, open(req).container, req.params.label_id),
    )

    app.delete(
      collection,
      {
        config: writing,
        schema: {
          summary: `Delete a label of a ${kind}, named among the parameters`,
          deprecated: { since, successor: `\`DELETE …/labels/:label_id\`` },
          params: ById,
          querystring: LabelByIdOrName,
          refuses: [412],
          response: { 204: NoContent },
        },
      },
      (req) => remove(req, open(req).container, named(req.query)),
    )

    for (const [verb, act] of [
      ['subscribe', subscribeLabel],
      ['unsubscribe', unsubscribeLabel],
    ] as const) {
      app.post(
        `${collection}/:label_id/${verb}`,
        {
          config: writes(subject('subscribe_label')),
          schema: {
            summary: `${verb === 'subscribe' ? 'Subscribe to' : 'Unsubscribe from'} a label of a ${kind}`,
            params: ByLabel,
            response: { 201: Label, 304: NoContent },
          },
        },
        async (req, reply) => {
          const labels = labelsInReach(db, req.viewer, open(req).container)
          const label = await findLabel(labels, req.params.label_id)
          const changed = await req.write((tx) => act(tx, label.id, req.user().id))
          if (!changed) return reply.code(304).send()
          return present({ ...label, subscribed: verb === 'subscribe' })
        },
      )
    }
  }

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
        const label = await findLabel(labelsAt(tx.db, req.viewer, container), req.params.label_id)
        await authorizeGroupOf(tx, req.viewer, container, 'admin_label')
        const { id } = await promoteLabel(tx, container.parent_id, label)
        return presentGroupLabel(
          await labelsFor(tx.db, req.viewer).where('l.id', '=', id).executeTakeFirstOrThrow(),
        )
      })
    },
  )
}

/** The id or name of the label that the parameters name, exactly one of which is given. */
const named = ({ label_id, name }: { readonly label_id?: number; readonly name?: string }) =>
  String(label_id ?? name)

function change(req: FastifyRequest, container: Container, idOrName: string, changes: LabelChanges) {
  return req.write(async (tx) => {
    const labels = labelsAt(tx.db, req.viewer, container)
    const label = await lockLabel(labels, idOrName, changes.new_name !== undefined)
    assertUnmodified(req, label.updated_at)
    return updateLabel(tx, container, label, changes)
  })
}

function remove(req: FastifyRequest, container: Container, idOrName: string): Promise<void> {
  return req.write(async (tx) => {
    const label = await lockLabel(labelsAt(tx.db, req.viewer, container), idOrName, true)
    assertUnmodified(req, label.updated_at)
    await deleteLabel(tx, label)
  })
}

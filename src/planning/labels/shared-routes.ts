import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { GroupContainer, ProjectContainer } from '#platform/access/authorize.ts'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { writes } from '#platform/access/route-access.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { deleteLabel } from './delete-label.ts'
import { GroupLabel, presentGroupLabel, presentProjectLabel, ProjectLabel } from './entity.ts'
import { ByLabel, NamedLabel } from './parameters.ts'
import { findLabel, labelsAt, labelsFor, lockLabel } from './queries.ts'
import { subscribeLabel, unsubscribeLabel } from './subscribe-label.ts'

/** Routes that labels of projects and of groups share. */
export const sharedLabelRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const { kind, subject, open } of projectsAndGroups) {
    const collection = `/${kind}s/:id/labels` as const
    const Label = kind === 'project' ? ProjectLabel : GroupLabel
    const present = kind === 'project' ? presentProjectLabel : presentGroupLabel

    app.delete(
      `${collection}/:label_id`,
      {
        config: writes(subject('admin_label')),
        schema: {
          summary: `Delete a label of a ${kind}`,
          params: ByLabel,
          refuses: [412],
          response: { 204: NoContent },
        },
      },
      async (req) => {
        await remove(req, open(req).container, req.params.label_id)
      },
    )

    app.delete(
      collection,
      {
        config: writes(subject('admin_label')),
        schema: {
          summary: `Delete a label of a ${kind}, named among the parameters`,
          deprecated: true,
          params: ById,
          querystring: NamedLabel,
          refuses: [412],
          response: { 204: NoContent },
        },
      },
      async (req) => {
        await remove(req, open(req).container, String(req.query.label_id ?? req.query.name))
      },
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
          const { container } = open(req)
          const labels = labelsAt(labelsFor(db, req.viewer, projectIdOf(container)), container, true)
          const label = await findLabel(labels, req.params.label_id)
          const changed = await req.write((tx) => act(tx, label.id, req.user().id))
          if (!changed) return reply.code(304).send()
          return present({ ...label, subscribed: verb === 'subscribe' })
        },
      )
    }
  }
}

/** Only projects have priorities. */
const projectIdOf = ({ kind, id }: ProjectContainer | GroupContainer) => (kind === 'project' ? id : null)

async function remove(
  req: FastifyRequest,
  container: ProjectContainer | GroupContainer,
  key: string,
): Promise<void> {
  await req.write(async (tx) => {
    const label = await lockLabel(labelsAt(labelsFor(tx.db, req.viewer), container, false), key, true)
    assertUnmodified(req, label.updated_at)
    await deleteLabel(tx, label)
  })
}

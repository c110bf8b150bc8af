import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { type AuthorizedContainer, projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { admin, reads, type Tier } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById } from '#platform/http/schema.ts'
import { AuditEvent, presentAuditEvent } from './entity.ts'
import { ByEvent, ByContainerAndEvent, Filter, InstanceFilter } from './parameters.ts'
import { type About, auditEventOrder, auditEvents, findAuditEvent } from './queries.ts'

const tier: Tier = { licensedArea: 'Audit events', plan: 'premium' }

/** Audit events of the instance, a group, or a project. */
export const auditEventRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/audit_events',
    {
      config: reads(admin, { tier }),
      schema: {
        summary: 'List the audit events of the instance',
        description: 'All events, newest first, including those about deleted accounts, groups and projects.',
        querystring: InstanceFilter,
        response: { 200: Type.Array(AuditEvent) },
      },
    },
    (req, reply) => list(req, reply, req.query),
  )

  app.get(
    '/audit_events/:id',
    {
      config: reads(admin, { tier }),
      schema: {
        summary: 'Get an audit event of the instance',
        params: ByEvent,
        response: { 200: AuditEvent },
      },
    },
    async (req) => presentAuditEvent(await findAuditEvent(db, req.params.id)),
  )

  for (const { kind, subject, open } of projectsAndGroups) {
    const config = reads(subject('read_audit_events'), { tier })
    const highest = kind === 'group' ? 'Owners' : 'Maintainers'
    const whose = `${highest} see all events; other callers see only what they did themselves.`

    app.get(
      `/${kind}s/:id/audit_events`,
      {
        config,
        schema: {
          summary: `List the audit events of a ${kind}`,
          description: `Newest first. ${whose}`,
          params: ById,
          querystring: Filter,
          response: { 200: Type.Array(AuditEvent) },
        },
      },
      (req, reply) => list(req, reply, { ...req.query, ...about(req, open(req)) }),
    )

    app.get(
      `/${kind}s/:id/audit_events/:audit_event_id`,
      {
        config,
        schema: {
          summary: `Get an audit event of a ${kind}`,
          description: whose,
          params: ByContainerAndEvent,
          response: { 200: AuditEvent },
        },
      },
      async (req) =>
        presentAuditEvent(await findAuditEvent(db, req.params.audit_event_id, about(req, open(req)))),
    )
  }

  async function list(
    req: FastifyRequest<{ Querystring: Static<typeof InstanceFilter> }>,
    reply: FastifyReply,
    filter: Static<typeof InstanceFilter>,
  ) {
    const rows = await paginate(req, reply, auditEvents(db, filter), auditEventOrder)
    return rows.map(presentAuditEvent)
  }
}

/** Callers who may not read events of others get only their own. */
function about(req: FastifyRequest, { container, can }: AuthorizedContainer): About {
  return {
    entity_type: container.kind === 'group' ? 'Group' : 'Project',
    entity_id: container.id,
    ...(can('read_audit_events_of_others') ? {} : { author_id: req.user().id }),
  }
}

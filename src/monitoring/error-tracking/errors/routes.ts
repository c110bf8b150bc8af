import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById } from '#platform/http/schema.ts'
import { changeError } from './change-error.ts'
import { type At, ErrorBrief, ErrorWhole, presentError, presentWhole } from './entity.ts'
import { ErrorEvent, presentEvent } from './event-entity.ts'
import { ByError, ErrorChanges, ErrorFilter, errorOrder, EventFilter, eventOrder } from './parameters.ts'
import { errorsOf, eventsOf, filterErrors, findDetails, findError, readEvent } from './queries.ts'

const ERRORS = '/projects/:id/error_tracking/errors'

/** Where the errors of a request are. */
export function placeOf(req: FastifyRequest): At {
  const { container, can } = req.project()
  return { site: req.site, project: container, issues: can('read_issue') }
}

/** The errors of a project. These endpoints are Forgelet's own. */
export const errorRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    ERRORS,
    {
      config: reads(project('read_error')),
      schema: {
        summary: 'List the errors of a project',
        description: "Forgelet's own. The one seen last comes first.",
        params: ById,
        querystring: ErrorFilter,
        response: { 200: Type.Array(ErrorBrief) },
      },
    },
    async (req, reply) => {
      const at = placeOf(req)
      // Those who see no issues learn nothing of links.
      const { issue_iid, ...others } = req.query
      const filter = issue_iid === undefined ? others : { ...others, issue_iid: at.issues ? issue_iid : 0 }
      const rows = await paginate(req, reply, filterErrors(errorsOf(db, at.project.id), filter), errorOrder)
      return rows.map((row) => presentError(row, at))
    },
  )

  app.get(
    `${ERRORS}/:error_id`,
    {
      config: reads(project('read_error')),
      schema: {
        summary: 'Get an error',
        description:
          "Forgelet's own. With where and when it happened, and the stack trace of its latest event.",
        params: ByError,
        response: { 200: ErrorWhole },
      },
    },
    async (req) => {
      const at = placeOf(req)
      const error = await findError(db, at.project.id, req.params.error_id)
      return presentWhole(error, await findDetails(db, error.id), at)
    },
  )

  app.get(
    `${ERRORS}/:error_id/events`,
    {
      config: reads(project('read_error')),
      schema: {
        summary: 'List the events of an error',
        description: "Forgelet's own. Those that are kept as a whole. The last one that arrived comes first.",
        params: ByError,
        querystring: EventFilter,
        response: { 200: Type.Array(ErrorEvent) },
      },
    },
    async (req, reply) => {
      const { id } = await findError(db, placeOf(req).project.id, req.params.error_id)
      const rows = await paginate(req, reply, eventsOf(db, id), eventOrder)
      return rows.map(({ event }) => presentEvent(readEvent(event)))
    },
  )

  app.put(
    `${ERRORS}/:error_id`,
    {
      config: writes(project('update_error')),
      schema: {
        summary: 'Change an error',
        description:
          "Forgelet's own. Resolve it, in a release or everywhere, ignore it, open it again, or link it to an issue.",
        params: ByError,
        body: ErrorChanges,
        response: { 200: ErrorBrief },
      },
    },
    async (req) => {
      const at = placeOf(req)
      const error = await req.write((tx) => changeError(tx, req.project(), req.params.error_id, req.body))
      return presentError(error, at)
    },
  )
}

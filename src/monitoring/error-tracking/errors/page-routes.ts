import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { authorizeProject, type AuthorizedProject } from '#platform/access/authorize.ts'
import type { ProjectAbility } from '#platform/access/abilities.ts'
import { page } from '#platform/access/route-access.ts'
import { integer, oneOf, text } from '#platform/http/schema.ts'
import { answerWithPages, sendPage } from '#platform/pages/page.ts'
import { changeError } from './change-error.ts'
import { type At, pageOf, presentError, presentWhole } from './entity.ts'
import { errorPage } from './error-page.ts'
import { listPage } from './list-page.ts'
import { errorStatuses } from './parameters.ts'
import { errorsOf, filterErrors, findDetails, findError } from './queries.ts'

const PATH = '/-/projects/:project_id/error_tracking'
/** Errors on a page. */
const PER_PAGE = 50

const ByProject = Type.Object({ project_id: integer({ minimum: 1 }) })
const ByError = Type.Object({ ...ByProject.properties, error_id: integer({ minimum: 1 }) })
const Shown = Type.Object({
  status: Type.Optional(oneOf(errorStatuses)),
  query: Type.Optional(text()),
  page: Type.Optional(integer({ minimum: 1, maximum: 1_000 })),
})
const Answer = Type.Object({
  status: oneOf(errorStatuses),
  release: Type.Optional(text({ max: 250 })),
})

/** Pages that list the errors of a project and show a stack trace. */
export const errorPages: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  answerWithPages(app)

  app.get(
    PATH,
    { config: page('signed in'), schema: { params: ByProject, querystring: Shown } },
    async (req, reply) => {
      const { status = 'unresolved', query = '', page: number = 1 } = req.query
      const at = placeIn(req, await authorizeById(req, req.params.project_id, 'read_error'))
      const filter = { status, ...(query !== '' && { query }) }
      const found = await filterErrors(errorsOf(db, at.project.id), filter)
        .orderBy('e.last_seen_at', 'desc')
        .orderBy('e.id', 'desc')
        .limit(PER_PAGE + 1)
        .offset((number - 1) * PER_PAGE)
        .execute()
      const errors = found.slice(0, PER_PAGE).map((row) => presentError(row, at))
      const next = found.length > PER_PAGE ? number + 1 : undefined
      const body = listPage({ project: at.project, errors, status, query, next })
      return sendPage(req, reply, { title: `Errors of ${at.project.full_path}`, body })
    },
  )

  app.get(
    `${PATH}/:error_id`,
    { config: page('signed in'), schema: { params: ByError } },
    async (req, reply) => {
      const project = await authorizeById(req, req.params.project_id, 'read_error')
      const at = placeIn(req, project)
      const row = await findError(db, at.project.id, req.params.error_id)
      const error = presentWhole(row, await findDetails(db, row.id), at)
      const body = errorPage(req, { project: at.project, error, mayChange: project.can('update_error') })
      return sendPage(req, reply, { title: error.title, body })
    },
  )

  app.post(
    `${PATH}/:error_id`,
    { config: page('signed in'), schema: { params: ByError, body: Answer } },
    async (req, reply) => {
      const { project_id, error_id } = req.params
      const project = await authorizeById(req, project_id, 'update_error')
      const { status, release = '' } = req.body
      const resolved = status === 'resolved' && release.trim() !== ''
      const changes = { status, ...(resolved && { resolved_in_release: release.trim() }) }
      await req.write((tx) => changeError(tx, project, error_id, changes))
      return reply.redirect(pageOf(project_id, error_id), 303)
    },
  )
}

const authorizeById = (
  req: FastifyRequest,
  id: number,
  ability: ProjectAbility,
): Promise<AuthorizedProject> => authorizeProject(req.server.db, req.viewer, String(id), ability)

const placeIn = (req: FastifyRequest, { container, can }: AuthorizedProject): At => ({
  site: req.site,
  project: container,
  issues: can('read_issue'),
})

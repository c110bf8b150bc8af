import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Event } from '#activity/events/entity.ts'
import { page } from '#platform/access/route-access.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { PROJECT } from '../frame/addresses.ts'
import { Api, path } from '../frame/api.ts'
import { eventRow } from '../frame/event-row.ts'
import { listOf } from '../frame/list-page.ts'
import { pageNumber } from '../frame/lists.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { show } from '../frame/show.ts'

const Paged = Type.Object({ page: pageNumber })

/** What people did in a project, and in all of somebody's projects. */
export const activityRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('signed in')

  app.get(
    `${PROJECT}/activity`,
    { config, schema: { params: Type.Object(OfProject), querystring: Paged } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      const list = {
        title: 'Activity',
        api: path`/projects/${project.id}/events`,
        item: Event,
        row: (event: Event) => eventRow(event, project),
        none: 'Nothing happened here yet.',
      }
      return show(req, reply, {
        title: `Activity · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Activity'),
        body: await listOf(api, pageOf(project, 'activity'), list, req.query),
      })
    },
  )

  app.get('/dashboard/activity', { config, schema: { querystring: Paged } }, async (req, reply) => {
    const list = {
      title: 'Activity of your projects',
      api: '/events',
      query: { scope: 'all' },
      item: Event,
      row: (event: Event) => eventRow(event),
      none: 'Nothing happened in your projects yet.',
    }
    const body = await listOf(new Api(req), '/dashboard/activity', list, req.query)
    return show(req, reply, { title: list.title, body })
  })
}

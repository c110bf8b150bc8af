import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Event } from '#activity/events/entity.ts'
import { page } from '#platform/access/route-access.ts'
import { html } from '#platform/http/html.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { eitherProjectEntity } from '#tenancy/projects/entity.ts'
import { PROJECT } from '../frame/addresses.ts'
import { Api, path } from '../frame/api.ts'
import { own } from '../explore/lists.ts'
import { eventRow } from '../frame/event-row.ts'
import { listOf } from '../frame/list-page.ts'
import { choices, pageNumber } from '../frame/lists.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { show } from '../frame/show.ts'

/** Projects whose events lead to what they are about. */
const MOST_PROJECTS = 100

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
    const api = new Api(req)
    // Events have the ids of their projects alone. Those of projects beyond these are shown without links.
    const projects = await api.list(eitherProjectEntity(), '/projects', {
      membership: true,
      simple: true,
      order_by: 'last_activity_at',
      per_page: MOST_PROJECTS,
    })
    const byId = new Map(projects.items.map((project) => [project.id, project]))
    const list = {
      title: 'Activity of your projects',
      api: '/events',
      query: { scope: 'all' },
      item: Event,
      row: (event: Event) => eventRow(event, byId.get(event.project_id), true),
      tabs: html`${choices(
          'Yours',
          Object.entries(own).map(([title, address]) => ({
            title,
            address,
            here: address === own.Activity,
          })),
        )}
        <p class="quiet">What happens to merge requests is in the activity of each project.</p>`,
      none: 'Nothing happened in your projects yet.',
    }
    const body = await listOf(api, '/dashboard/activity', list, req.query)
    return show(req, reply, { title: list.title, body })
  })
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { API } from '#platform/http/routing.ts'
import { MAX_PATH, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { PROJECT } from '../frame/addresses.ts'
import { Api, path } from '../frame/api.ts'
import { pageNumber } from '../frame/lists.ts'
import { show } from '../frame/show.ts'
import { findProject, OfProject, projectOf } from '../frame/project.ts'
import { blobPage } from './blob-page.ts'
import { commitPage, commitsPage } from './commit-pages.ts'
import { atPlace, findPlace, hasFile, placeIn } from './references.ts'
import { treePage } from './tree-page.ts'

const ByPlace = Type.Object({ ...OfProject, place: text({ max: MAX_PATH }) })
const ByCommit = Type.Object({ ...OfProject, sha: text({ max: 64 }) })
const Paged = Type.Object({ page: pageNumber })

/** Folders, files and commits. */
export const repositoryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('anyone')

  app.get(`${PROJECT}/tree/:place`, { config, schema: { params: ByPlace } }, async (req, reply) => {
    const api = new Api(req)
    const project = await projectOf(api, req, req.params.project)
    const view = await atPlace(api, project, req.params.place, (place) => treePage(api, project, place))
    return show(req, reply, view)
  })

  app.get(`${PROJECT}/blob/:place`, { config, schema: { params: ByPlace } }, async (req, reply) => {
    const api = new Api(req)
    const project = await projectOf(api, req, req.params.project)
    const view = await atPlace(api, project, req.params.place, (place) => blobPage(api, project, place))
    return show(req, reply, view)
  })

  // The API sends the bytes, also to those who send a token; only browsers have a session to find the branch with.
  app.get(`${PROJECT}/raw/:place`, { config, schema: { params: ByPlace } }, async (req, reply) => {
    const api = new Api(req)
    const named = req.params.project
    const project = await findProject(api, req, named)
    const place =
      project === undefined
        ? placeIn(req.params.place)
        : ((await findPlace(api, project, req.params.place, (one) => hasFile(api, project, one))) ??
          placeIn(req.params.place))
    const file = path`/projects/${named}/repository/files/${place.path}/raw`
    return reply.redirect(`${API}${file}?${new URLSearchParams({ ref: place.ref }).toString()}`, 302)
  })

  app.get(
    `${PROJECT}/commits/:place`,
    { config, schema: { params: ByPlace, querystring: Paged } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      const view = await atPlace(api, project, req.params.place, (place) =>
        commitsPage(api, project, place, req.query.page),
      )
      return show(req, reply, view)
    },
  )

  const options = { config, schema: { params: ByCommit, querystring: Paged } }
  app.get(`${PROJECT}/commit/:sha`, options, async (req, reply) => {
    const api = new Api(req)
    const project = await projectOf(api, req, req.params.project)
    return show(req, reply, await commitPage(api, project, req.params.sha, req.query.page))
  })
}

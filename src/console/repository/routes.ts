import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { html } from '#platform/http/html.ts'
import { MAX_NAME } from '#code/repositories/limits.ts'
import { Branch } from '#code/branches/entity.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { notFound } from '#platform/refusals.ts'
import { API } from '#platform/http/routing.ts'
import { seeOther } from '#platform/http/browser-sessions.ts'
import { MAX_PATH, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { PROJECT } from '../frame/addresses.ts'
import { Api, path } from '../frame/api.ts'
import { pageNumber } from '../frame/lists.ts'
import { show } from '../frame/show.ts'
import {
  findProject,
  OfProject,
  pageOf,
  pathOf,
  projectHeader,
  projectOf,
  slashed,
} from '../frame/project.ts'
import { blamePage } from './blame-page.ts'
import { compareForm, comparedIn, comparePage } from './compare-page.ts'
import { DiffQuery } from './diffs.ts'
import { contributorsPage, forksPage } from './people-pages.ts'
import { blobPage } from './blob-page.ts'
import { commitPage, commitsPage } from './commit-pages.ts'
import { atPlace, findPlace, hasFile, placeIn } from './references.ts'
import { treePage } from './tree-page.ts'

const ByPlace = Type.Object({ ...OfProject, place: text({ max: MAX_PATH }) })
const ByCommit = Type.Object({ ...OfProject, sha: text({ max: 64 }) })
const Paged = Type.Object({ page: pageNumber })
const ShownFile = Type.Object({ part: pageNumber, plain: Type.Optional(text({ max: 1 })) })
const name = Type.Optional(text({ max: MAX_NAME }))
const Two = Type.Object({ from: name, to: name })

/** Folders, files and commits. */
export const repositoryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('anyone')

  app.get(
    `${PROJECT}/tree/:place`,
    { config, schema: { params: ByPlace, querystring: Paged } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      const view = await findPlace(api, project, req.params.place, (place) =>
        treePage(api, project, place, req.query.page),
      )
      if (view === undefined) throw (await isEmpty(api, project)) ? seeOther(pathOf(project)) : notFound()
      return show(req, reply, view)
    },
  )

  app.get(
    `${PROJECT}/blob/:place`,
    { config, schema: { params: ByPlace, querystring: ShownFile } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      const { plain = '', part } = req.query
      // Links in texts do not tell a folder from a file.
      const view = await atPlace(
        api,
        project,
        req.params.place,
        async (place) =>
          (await blobPage(api, project, place, { part, plain: plain !== '' })) ??
          (await treePage(api, project, place, 1)),
      )
      return show(req, reply, view)
    },
  )

  app.get(
    `${PROJECT}/blame/:place`,
    { config, schema: { params: ByPlace, querystring: Paged } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      const view = await atPlace(api, project, req.params.place, (place) =>
        blamePage(api, project, place, req.query.page),
      )
      return show(req, reply, view)
    },
  )

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

  app.get(
    `${PROJECT}/commit/:sha`,
    { config, schema: { params: ByCommit, querystring: Type.Object({ page: pageNumber, ...DiffQuery }) } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      return show(req, reply, await commitPage(api, project, req.params.sha, req.query))
    },
  )

  // The form asks for two; people share one address.
  app.get(
    `${PROJECT}/compare`,
    { config, schema: { params: Type.Object(OfProject), querystring: Two } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      const { from, to } = req.query
      if (from !== undefined && to !== undefined)
        return reply.redirect(pageOf(project, `compare/${slashed(from)}...${slashed(to)}`), 303)
      const body = html`<h1>Compare</h1>
        <p>Which branches, tags or commits? The page shows what the second has and the first has not.</p>
        ${compareForm(project)}`
      const title = `Compare · ${project.name_with_namespace}`
      return show(req, reply, { title, body, place: projectHeader(project, 'Branches') })
    },
  )

  app.get(
    `${PROJECT}/compare/:place`,
    { config, schema: { params: ByPlace, querystring: Type.Object(DiffQuery) } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      const compared = comparedIn(req.params.place)
      if (compared === undefined) throw notFound()
      const here = pageOf(project, `compare/${slashed(req.params.place)}`)
      return show(req, reply, await comparePage(api, project, compared, { here, ...req.query }))
    },
  )

  app.get(
    `${PROJECT}/graphs/:place`,
    { config, schema: { params: ByPlace, querystring: Paged } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      const view = await contributorsPage(api, project, req.params.place, req.query.page)
      if (view === undefined) throw notFound()
      return show(req, reply, view)
    },
  )

  app.get(
    `${PROJECT}/forks`,
    { config, schema: { params: Type.Object(OfProject), querystring: Paged } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      return show(req, reply, await forksPage(api, project, req.query.page))
    },
  )
}

/** Whether nothing was pushed yet: the first page of the project says how to begin. */
async function isEmpty(api: Api, project: EitherProject): Promise<boolean> {
  const address = path`/projects/${project.id}/repository/branches`
  const branches = await api.besides.findList(Branch, address, { per_page: 1 })
  return branches?.items.length === 0
}

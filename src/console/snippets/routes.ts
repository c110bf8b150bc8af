import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Snippet } from '#code/snippets/entity.ts'
import { snippetNoteable } from '#code/snippets/noteable.ts'
import { page } from '#platform/access/route-access.ts'
import { API } from '#platform/http/routing.ts'
import { integer, MAX_PATH, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { PROJECT } from '../frame/addresses.ts'
import { Api, path } from '../frame/api.ts'
import { listOf } from '../frame/list-page.ts'
import { pageNumber } from '../frame/lists.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import { show } from '../frame/show.ts'
import { snippetRow } from '../frame/snippet-row.ts'
import { discussionsOn } from '../items/discussions.ts'
import { snippetPage } from './snippet-page.ts'

const id = integer({ minimum: 1 })
const ById = Type.Object({ id })
const InProject = Type.Object({ ...OfProject, id })
const branchAndPath = { '*': text({ max: MAX_PATH }) }
const Paged = Type.Object({ page: pageNumber })

/** Snippets: the list of a project, and each with its files. */
export const snippetPageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('anyone')

  app.get(
    `${PROJECT}/snippets`,
    { config, schema: { params: Type.Object(OfProject), querystring: Paged } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      const rights = await rightsIn(api, path`/projects/${project.id}`)
      const list = {
        title: 'Snippets',
        api: path`/projects/${project.id}/snippets`,
        item: Snippet,
        row: snippetRow,
        make: rights.may('create_snippet') && {
          title: 'New snippet',
          address: pageOf(project, 'snippets/new'),
        },
        none: 'There is no snippet in this project.',
      }
      return show(req, reply, {
        title: `Snippets · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Snippets'),
        body: await listOf(api, pageOf(project, 'snippets'), list, req.query),
      })
    },
  )

  app.get(
    `${PROJECT}/snippets/:id`,
    { config, schema: { params: InProject, querystring: Paged } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      const address = path`/projects/${project.id}/snippets/${req.params.id}`
      const [rights, discussions] = await Promise.all([
        rightsIn(api, path`/projects/${project.id}`),
        discussionsOn(api, snippetNoteable, address, req.query.page),
      ])
      const view = await snippetPage(api, address, {
        here: pageOf(project, `snippets/${req.params.id}`),
        fullPath: project.path_with_namespace,
        mayChange: (author) =>
          rights.may('admin_snippet') || (rights.may('create_snippet') && author === req.identity?.user.id),
        ...(discussions && { discussions: { list: discussions, page: req.query.page } }),
      })
      return show(req, reply, { ...view, place: projectHeader(project, 'Snippets') })
    },
  )

  app.get('/-/snippets/:id', { config, schema: { params: ById } }, async (req, reply) => {
    const { id: number } = req.params
    const view = await snippetPage(new Api(req), path`/snippets/${number}`, {
      here: `/-/snippets/${number}`,
      mayChange: (author) =>
        req.identity !== undefined && (req.identity.user.admin || author === req.identity.user.id),
    })
    return show(req, reply, view)
  })

  // The API sends the bytes.
  const inProject = { config, schema: { params: InProject } }
  app.get(`${PROJECT}/snippets/:id/raw`, inProject, (req, reply) =>
    reply.redirect(API + path`/projects/${req.params.project}/snippets/${req.params.id}/raw`, 302),
  )
  const FileInProject = Type.Object({ ...InProject.properties, ...branchAndPath })
  app.get(`${PROJECT}/snippets/:id/raw/*`, { config, schema: { params: FileInProject } }, (req, reply) => {
    const at = path`/projects/${req.params.project}/snippets/${req.params.id}`
    return reply.redirect(API + at + fileIn(req.params['*']), 302)
  })
  app.get('/-/snippets/:id/raw', { config, schema: { params: ById } }, (req, reply) =>
    reply.redirect(API + path`/snippets/${req.params.id}/raw`, 302),
  )
  const File = Type.Object({ id, ...branchAndPath })
  app.get('/-/snippets/:id/raw/*', { config, schema: { params: File } }, (req, reply) =>
    reply.redirect(API + path`/snippets/${req.params.id}` + fileIn(req.params['*']), 302),
  )
}

/** The path of the API of a file that an address names: `main/folder/a.txt`. */
function fileIn(named: string): string {
  const [ref = '', ...names] = named.split('/')
  return path`/files/${ref}/${names.join('/')}/raw`
}

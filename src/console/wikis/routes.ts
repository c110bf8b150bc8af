import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { MAX_NAME } from '#code/repositories/limits.ts'
import { WikiPage } from '#code/wikis/entity.ts'
import { page } from '#platform/access/route-access.ts'
import { seeOther } from '#platform/http/browser-sessions.ts'
import { MAX_PATH, text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { Api } from '../frame/api.ts'
import { ByContainer, type Container, OfContainer, projectsAndGroups } from '../frame/container.ts'
import { pageNumber } from '../frame/lists.ts'
import { show } from '../frame/show.ts'
import { DiffQuery } from '../repository/diffs.ts'
import { changePage } from './change-page.ts'
import { addressOfPage, allPages } from './page-list.ts'
import { missingPage, wikiPage } from './wiki-page.ts'

const BySlug = Type.Object({ ...OfContainer, slug: text({ max: MAX_PATH }) })
const Shown = Type.Object({
  ...DiffQuery,
  page: pageNumber,
  version_id: Type.Optional(text({ max: MAX_NAME })),
})

/** How the addresses of changes end. A page may have such a name, too: what changes names a version. */
const DIFF = /^(?<of>[^]+)\/diff$/

/** Wiki pages, with the names of others beside each. */
export const wikiPageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('anyone')

  for (const { at, open } of projectsAndGroups) {
    app.get(`${at}/wikis`, { config, schema: { params: ByContainer } }, async (req, reply) => {
      const api = new Api(req)
      const container = await open(api, req, req.params.container)
      // Where the page itself is, links in it lead to the pages beside it.
      if ((await api.find(WikiPage, `${container.api}/wikis/home`)) !== undefined)
        throw seeOther(addressOfPage(container, 'home'))
      return show(req, reply, await allPages(api, container, 1))
    })

    app.get(
      `${at}/wikis/:slug`,
      { config, schema: { params: BySlug, querystring: Shown } },
      async (req, reply) => {
        const api = new Api(req)
        const container = await open(api, req, req.params.container)
        const { slug } = req.params
        const { page: number, version_id: version, ...how } = req.query
        if (slug === 'pages' && version === undefined)
          return show(req, reply, await allPages(api, container, number))
        const of = version === undefined ? undefined : DIFF.exec(slug)?.groups?.of
        const changed =
          of === undefined || version === undefined
            ? undefined
            : await changePage(api, container, of, version, how)
        const view = changed ?? (await wikiPage(api, container, slug, version))
        return view === undefined
          ? showMissing(req, reply, { api, container, slug: of ?? slug, version })
          : show(req, reply, view)
      },
    )
  }
}

interface Missing {
  readonly api: Api
  readonly container: Container
  readonly slug: string
  readonly version: string | undefined
}

/** Hooks lead to `home`, whether there is such a page or not. */
async function showMissing(
  req: FastifyRequest,
  reply: FastifyReply,
  { api, container, slug, version }: Missing,
): Promise<FastifyReply> {
  if (slug === 'home' && version === undefined) return show(req, reply, await allPages(api, container, 1))
  const view = await missingPage(api, container, slug, version)
  return show(req, reply.code(404), view)
}

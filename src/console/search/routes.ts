import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { type Html, html } from '#platform/http/html.ts'
import { text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { GROUP, PROJECT } from '../frame/addresses.ts'
import { Api, path } from '../frame/api.ts'
import { addressOf, choices, emptyList, otherPages, pageNumber } from '../frame/lists.ts'
import { groupHeader, groupOf, groupPageOf, OfGroup } from '../frame/group.ts'
import { show } from '../frame/show.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { everywhere, inProject, type Scope } from './results.ts'

const Words = Type.Object({
  search: Type.Optional(text({ max: 1_024 })),
  scope: Type.Optional(text({ max: 32 })),
  page: pageNumber,
})

interface Searched {
  readonly api: Api
  /** The address of the page, and of the search of the API. */
  readonly here: string
  readonly address: string
  readonly scopes: Readonly<Record<string, Scope>>
  readonly project?: EitherProject
  /** The header of the project or group. */
  readonly place?: Html
}

interface Asked {
  readonly search?: string
  readonly scope?: string
  readonly page: number
}

/** Searches, for people who are signed in. */
export const searchPageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('signed in')

  app.get('/search', { config, schema: { querystring: Words } }, (req, reply) =>
    showResults(req, reply, req.query, {
      api: new Api(req),
      here: '/search',
      address: '/search',
      scopes: everywhere,
    }),
  )

  app.get(
    `${PROJECT}/search`,
    { config, schema: { params: Type.Object(OfProject), querystring: Words } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      return showResults(req, reply, req.query, {
        api,
        here: pageOf(project, 'search'),
        address: path`/projects/${project.id}/search`,
        scopes: inProject,
        project,
        place: projectHeader(project, 'Search'),
      })
    },
  )

  app.get(
    `${GROUP}/search`,
    { config, schema: { params: Type.Object(OfGroup), querystring: Words } },
    async (req, reply) => {
      const api = new Api(req)
      const group = await groupOf(api, req, req.params.group)
      return showResults(req, reply, req.query, {
        api,
        here: groupPageOf(group, 'search'),
        address: path`/groups/${group.id}/search`,
        scopes: everywhere,
        place: groupHeader(group, 'Search'),
      })
    },
  )
}

async function showResults(
  req: FastifyRequest,
  reply: FastifyReply,
  { search, scope, page: number }: Asked,
  { api, here, address, scopes, project, place }: Searched,
): Promise<FastifyReply> {
  const [first = ''] = Object.keys(scopes)
  const chosen = scope !== undefined && Object.hasOwn(scopes, scope) ? scope : first
  const found =
    search === undefined || search === ''
      ? undefined
      : await scopes[chosen]?.find(api, address, { scope: chosen, search, page: number }, project)
  const body = html`<h1>Search</h1>
    <form class="search" method="get" action="${here}" role="search">
      <label class="unseen" for="search">Words</label>
      <input id="search" type="search" name="search" value="${search}" maxlength="1024" placeholder="Words" />
      <input type="hidden" name="scope" value="${chosen}" />
      <button type="submit">Search</button>
    </form>
    ${choices(
      'What to search for',
      Object.entries(scopes).map(([name, { title }]) => ({
        title,
        address: addressOf(here, { search, scope: name }),
        here: name === chosen,
      })),
    )}
    ${
      found !== undefined &&
      html`${
        found.items.length === 0
          ? emptyList(
              `Nothing was found. This looked for “${scopes[chosen]?.title}” alone: choose another above.`,
            )
          : html`<ul class="rows">
              ${found.items}
            </ul>`
      }
      ${otherPages(found, number, here, { search, scope: chosen })}`
    }`
  return show(req, reply, {
    title: search === undefined ? 'Search' : `${search} · Search`,
    body,
    ...(place && { place }),
  })
}

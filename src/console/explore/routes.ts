import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { html } from '#platform/http/html.ts'
import { text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { eitherProjectEntity } from '#tenancy/projects/entity.ts'
import { Api } from '../frame/api.ts'
import { emptyList, otherPages, pageNumber } from '../frame/lists.ts'
import { show } from '../frame/show.ts'
import { projectList } from '../projects/project-list.ts'

const Filter = Type.Object({ search: Type.Optional(text()), page: pageNumber })

interface ListOfProjects {
  readonly title: string
  readonly address: string
  readonly isOwn: boolean
  /** What to do where none is there. */
  readonly none: string
}

const explore: ListOfProjects = {
  title: 'Explore',
  address: '/explore',
  isOwn: false,
  none: 'There is no project that you may see.',
}
const own: ListOfProjects = {
  title: 'Your projects',
  address: '/dashboard',
  isOwn: true,
  none: 'You are a member of no project yet.',
}

/** Lists of projects. */
export const exploreRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const schema = { querystring: Filter }
  const ofAll = { config: page('anyone'), schema }
  for (const address of [explore.address, '/explore/projects'])
    app.get(address, ofAll, (req, reply) => showProjects(req, reply, explore, req.query))
  const ofOwn = { config: page('signed in'), schema }
  for (const address of [own.address, '/dashboard/projects'])
    app.get(address, ofOwn, (req, reply) => showProjects(req, reply, own, req.query))
}

async function showProjects(
  req: FastifyRequest,
  reply: FastifyReply,
  { title, address, isOwn, none }: ListOfProjects,
  { search, page: number }: { readonly search?: string; readonly page: number },
): Promise<FastifyReply> {
  const projects = await new Api(req).list(eitherProjectEntity(), '/projects', {
    membership: isOwn ? true : undefined,
    search,
    page: number,
    simple: true,
    order_by: 'last_activity_at',
  })
  const body = html`<h1>${title}</h1>
    <form class="search" method="get" action="${address}" role="search">
      <label class="unseen" for="search">Names of projects</label>
      <input id="search" type="search" name="search" value="${search}" maxlength="255" placeholder="Names" />
      <button type="submit" class="secondary">Search</button>
    </form>
    ${projects.items.length === 0 ? emptyList(search === undefined ? none : 'No project has such a name.') : projectList(projects.items)}
    ${otherPages(projects, number, address, { search })}`
  return show(req, reply, { title, body })
}

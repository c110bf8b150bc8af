import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { UserOfMine } from '#identity/users/entity.ts'
import { type Static, type TSchema, Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { entranceFor } from './entrance.ts'
import { Api } from '../frame/api.ts'
import { type ListPage, listOf } from '../frame/list-page.ts'
import { choices, pageNumber } from '../frame/lists.ts'
import { show } from '../frame/show.ts'
import { exploredGroups, own, ownGroups, ownSnippets, projectsPage, publicSnippets, topics } from './lists.ts'

const Filter = Type.Object({ search: Type.Optional(text()), topic: Type.Optional(text()), page: pageNumber })

const explored = {
  Projects: '/explore',
  Groups: '/explore/groups',
  Topics: '/explore/projects/topics',
  Snippets: '/explore/snippets',
} as const

interface Shown<S extends TSchema> {
  readonly tabs: Readonly<Record<string, string>>
  readonly here: string
  readonly list: ListPage<S>
}

/** What there is on the instance, and what of it is one's own. */
export const exploreRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const schema = { querystring: Filter }

  function add<S extends TSchema>(
    who: 'anyone' | 'signed in',
    { here, ...shown }: Shown<S>,
    alias: string = here,
  ) {
    for (const address of new Set([here, alias]))
      app.get(address, { config: page(who), schema }, (req, reply) =>
        showList(req, reply, { here, ...shown }, req.query),
      )
  }

  const projects = projectsPage('Explore', false, 'There is no project that you may see.')
  const yours = projectsPage('Your projects', true, 'You are a member of no project yet.')
  const dashboard = { tabs: own, here: own.Projects, list: yours }
  add('anyone', { tabs: explored, here: explored.Projects, list: projects }, '/explore/projects')
  add('anyone', { tabs: explored, here: explored.Groups, list: exploredGroups })
  add('anyone', { tabs: explored, here: explored.Topics, list: topics })
  add('anyone', { tabs: explored, here: explored.Snippets, list: publicSnippets })
  add('signed in', dashboard, '/dashboard/projects')
  add('signed in', { tabs: own, here: own.Groups, list: ownGroups })
  add('signed in', { tabs: own, here: own.Snippets, list: ownSnippets })

  app.get('/', { config: page('anyone'), schema }, (req, reply) =>
    req.identity === undefined
      ? reply.redirect(entranceFor(req), 303)
      : showList(req, reply, dashboard, req.query),
  )
}

async function showList<S extends TSchema>(
  req: FastifyRequest,
  reply: FastifyReply,
  { tabs, here, list }: Shown<S>,
  { topic, ...asked }: Static<typeof Filter>,
): Promise<FastifyReply> {
  const all = Object.entries(tabs).map(([title, address]) => ({ title, address, here: address === here }))
  const api = new Api(req)
  const withTabs = { ...list, tabs: choices(list.title, all), make: await offer(api, tabs, here) }
  const body = await listOf(api, here, withTabs, asked, { topic })
  return show(req, reply, { title: list.title, body })
}

/** What the visitor may make that the list shows. */
async function offer(api: Api, { Projects, Groups }: Readonly<Record<string, string>>, here: string) {
  if (!api.isForSomebody || (here !== Projects && here !== Groups)) return undefined
  const { can_create_project, can_create_group } = await api.get(UserOfMine, '/user')
  if (here === Groups) return can_create_group ? { title: 'New group', address: '/groups/new' } : undefined
  return can_create_project ? { title: 'New project', address: '/projects/new' } : undefined
}

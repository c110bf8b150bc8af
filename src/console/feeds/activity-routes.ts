import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { Event } from '#activity/events/entity.ts'
import { UserListed } from '#identity/users/entity.ts'
import { MAX_PATH, text } from '#platform/http/schema.ts'
import { type Feed, MAX_ENTRIES } from '#platform/pages/atom-feed.ts'
import { notFound } from '#platform/refusals.ts'
import { groupDetailEntity } from '#tenancy/groups/entity.ts'
import { eitherProjectEntity } from '#tenancy/projects/entity.ts'
import { type Api, path, type Query } from '../frame/api.ts'
import { FEEDS } from './addresses.ts'
import { eventEntries } from './event-entries.ts'
import { answerFeed, forKnown, method, response } from './feed-route.ts'

const ByPath = Type.Object({ path: text({ max: MAX_PATH }) })

/** Projects of a group whose activity is in its feed: those where something happened last. */
const MOST_PROJECTS = 5

type Made = Omit<Feed, 'self'>
type GroupDetail = Static<ReturnType<typeof groupDetailEntity>>

/** Feeds of what people did, in a project, in a group, in all projects of the reader, or one of them anywhere. */
export const activityFeedRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const options = { config: forKnown, schema: { params: ByPath, response } }

  app.route({
    method,
    url: `${FEEDS}/named/:path`,
    ...options,
    handler: (req, reply) => answerFeed(req, reply, (api, site) => feedOfName(api, site, req.params.path)),
  })

  app.route({
    method,
    url: `${FEEDS}/group/:path`,
    ...options,
    handler: (req, reply) =>
      answerFeed(req, reply, async (api, site) =>
        feedOfGroup(
          api,
          site,
          await api.get(groupDetailEntity(), path`/groups/${req.params.path}`, { with_projects: false }),
        ),
      ),
  })

  app.route({
    method,
    url: `${FEEDS}/dashboard/projects`,
    config: forKnown,
    schema: { response },
    handler: (req, reply) =>
      answerFeed(req, reply, async (api, site) => ({
        title: `Activity in projects of ${req.user().username}`,
        page: `${site}/dashboard/projects`,
        entries: await eventEntries(api, site, await eventsAt(api, '/events', { scope: 'all' })),
      })),
  })
}

const eventsAt = async (api: Api, address: string, query: Query = {}): Promise<readonly Event[]> =>
  (await api.list(Event, address, { ...query, per_page: MAX_ENTRIES })).items

/** What a path alone names: a project, a group or somebody. */
async function feedOfName(api: Api, site: string, name: string): Promise<Made> {
  const isNested = name.includes('/')
  const [project, group, people] = await Promise.all([
    isNested ? api.find(eitherProjectEntity(), path`/projects/${name}`) : undefined,
    api.find(groupDetailEntity(), path`/groups/${name}`, { with_projects: false }),
    isNested ? undefined : api.list(UserListed, '/users', { username: name }),
  ])
  if (project !== undefined) {
    const events = await eventsAt(api, path`/projects/${project.id}/events`)
    return {
      title: `${project.path_with_namespace} activity`,
      page: `${site}/${project.path_with_namespace}`,
      entries: await eventEntries(api, site, events),
    }
  }
  if (group !== undefined) return feedOfGroup(api, site, group)
  const person = people?.items[0]
  if (person === undefined) throw notFound()
  return {
    title: `${person.name} activity`,
    page: `${site}/${person.username}`,
    entries: await eventEntries(api, site, await eventsAt(api, path`/users/${person.id}/events`)),
  }
}

/** The API has no events of groups: those of the projects are asked for, and the last ones of all are shown. */
async function feedOfGroup(api: Api, site: string, { id, full_path }: GroupDetail): Promise<Made> {
  const { items: projects } = await api.list(eitherProjectEntity(), path`/groups/${id}/projects`, {
    include_subgroups: true,
    simple: true,
    order_by: 'last_activity_at',
    per_page: MOST_PROJECTS,
  })
  const events = await Promise.all(projects.map((one) => eventsAt(api, path`/projects/${one.id}/events`)))
  const latest = events
    .flat()
    .toSorted((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at) || other.id - one.id)
    .slice(0, MAX_ENTRIES)
  return {
    title: `${full_path} activity`,
    page: `${site}/${full_path}`,
    entries: await eventEntries(api, site, latest),
  }
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { CommitEntity } from '#code/commits/entity.ts'
import { ListedMergeRequest } from '#code/merge-requests/list/entity.ts'
import { TagEntity } from '#code/tags/entity.ts'
import { MAX_PATH, oneOf, text } from '#platform/http/schema.ts'
import { MAX_ENTRIES } from '#platform/pages/atom-feed.ts'
import { Issue } from '#planning/issues/entity.ts'
import { groupDetailEntity } from '#tenancy/groups/entity.ts'
import { eitherProjectEntity } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { slashed } from '../frame/project.ts'
import { atPlace } from '../repository/references.ts'
import { FEEDS } from './addresses.ts'
import { commitEntry, itemEntry, tagEntry } from './entries.ts'
import { answerFeed, forAll, forKnown, method, response } from './feed-route.ts'

const ByPath = Type.Object({ path: text({ max: MAX_PATH }) })
const ByPlace = Type.Object({ path: text({ max: MAX_PATH }), place: text({ max: MAX_PATH }) })
const Filter = Type.Object({ state: Type.Optional(oneOf(['opened', 'closed', 'all'])) })

/** The lists of issues and merge requests. */
const items = {
  issues: { title: 'issues', entity: Issue },
  merge_requests: { title: 'merge requests', entity: ListedMergeRequest },
} as const
type Items = keyof typeof items

const listsOfItems = ['issues', 'merge_requests'] as const satisfies Items[]

async function entriesOf(api: Api, list: Items, place: string, query: Record<string, string>) {
  const wanted = { ...query, order_by: 'created_at', sort: 'desc', per_page: MAX_ENTRIES }
  const address = `${place}/${list}`
  const found =
    list === 'issues'
      ? await api.list(items.issues.entity, address, wanted)
      : await api.list(items.merge_requests.entity, address, wanted)
  return found.items.map(itemEntry)
}

const findProject = (api: Api, named: string) => api.get(eitherProjectEntity(), path`/projects/${named}`)

/** Feeds of issues, merge requests, commits and tags. */
export const feedRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const list of listsOfItems) {
    const { title } = items[list]
    const ofPlace = { config: forAll, schema: { params: ByPath, querystring: Filter, response } }

    app.route({
      method,
      url: `${FEEDS}/project/:path/${list}`,
      ...ofPlace,
      handler: (req, reply) =>
        answerFeed(req, reply, async (api, site) => {
          const project = await findProject(api, req.params.path)
          const query = { state: req.query.state ?? 'opened' }
          return {
            title: `${project.path_with_namespace} ${title}`,
            page: `${site}/${project.path_with_namespace}/-/${list}`,
            entries: await entriesOf(api, list, path`/projects/${project.id}`, query),
          }
        }),
    })

    app.route({
      method,
      url: `${FEEDS}/group/:path/${list}`,
      ...ofPlace,
      handler: (req, reply) =>
        answerFeed(req, reply, async (api, site) => {
          const group = await api.get(groupDetailEntity(), path`/groups/${req.params.path}`, {
            with_projects: false,
          })
          const query = { state: req.query.state ?? 'opened' }
          return {
            title: `${group.full_path} ${title}`,
            page: `${site}/groups/${group.full_path}/-/${list}`,
            entries: await entriesOf(api, list, path`/groups/${group.id}`, query),
          }
        }),
    })

    app.route({
      method,
      url: `${FEEDS}/dashboard/${list}`,
      config: forKnown,
      schema: { querystring: Filter, response },
      handler: (req, reply) =>
        answerFeed(req, reply, async (api, site) => ({
          title: `${req.user().username} ${title}`,
          page: `${site}/dashboard/${list}`,
          entries: await entriesOf(api, list, '', {
            scope: 'assigned_to_me',
            state: req.query.state ?? 'opened',
          }),
        })),
    })
  }

  app.route({
    method,
    url: `${FEEDS}/project/:path/commits/:place`,
    config: forAll,
    schema: { params: ByPlace, response },
    handler: (req, reply) =>
      answerFeed(req, reply, async (api, site) => {
        const project = await findProject(api, req.params.path)
        const { items: commits } = await atPlace(api, project, req.params.place, ({ ref, path: at }) =>
          api.findList(CommitEntity, path`/projects/${project.id}/repository/commits`, {
            ref_name: ref,
            path: at === '' ? undefined : at,
            per_page: MAX_ENTRIES,
          }),
        )
        const { place } = req.params
        return {
          title: `${project.path_with_namespace}: commits of ${place}`,
          page: `${site}/${project.path_with_namespace}/-/commits/${slashed(place)}`,
          entries: commits.map(commitEntry),
        }
      }),
  })

  app.route({
    method,
    url: `${FEEDS}/project/:path/tags`,
    config: forAll,
    schema: { params: ByPath, response },
    handler: (req, reply) =>
      answerFeed(req, reply, async (api, site) => {
        const project = await findProject(api, req.params.path)
        const address = `${site}/${project.path_with_namespace}`
        const { items: tags } = await api.list(TagEntity, path`/projects/${project.id}/repository/tags`, {
          per_page: MAX_ENTRIES,
        })
        return {
          title: `${project.path_with_namespace} tags`,
          page: `${address}/-/tags`,
          entries: tags.map((tag) => tagEntry(tag, address)),
        }
      }),
  })
}

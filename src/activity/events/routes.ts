import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { findUserBy } from '#identity/users/queries.ts'
import { anyone, project, reads } from '#platform/access/route-access.ts'
import { pageByKeys } from '#platform/http/keyset.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import { paginateIds, paginateNothing } from '#platform/http/pagination.ts'
import { mayReadProfile } from '#tenancy/projects/list/sources.ts'
import { Event } from './entity.ts'
import type { Feed, FeedOf } from './feed.ts'
import { countEvents, eventOrder, findEvents, findEventsByKeys } from './find-events.ts'
import { type Kind, kindsWhere } from './kinds.ts'
import { ByProject, ByUser, EventFilter, OwnEventFilter } from './parameters.ts'
import { presentEvents } from './present.ts'
import { readEvents } from './read-events.ts'

const scopes = ['api', 'read_user'] as const
const response = { 200: Type.Array(Event) }
const listed = 'Events of epics and merge requests, and of comments on them, are left out.'

type ListRequest = FastifyRequest<{ Querystring: EventFilter }>

/** What people did: your own events, those of one user, and those in one project. */
export const eventRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/events',
    {
      config: reads(anyone, { scopes }),
      schema: {
        summary: 'List your events',
        description: `Newest first. ${listed}`,
        querystring: OwnEventFilter,
        response,
      },
    },
    (req, reply) => {
      const own = { kind: 'author', id: req.user().id } as const
      return list(req, reply, req.query.scope === 'all' ? { kind: 'memberships' } : own)
    },
  )

  app.get(
    '/users/:id/events',
    {
      config: reads(anyone, { scopes }),
      schema: {
        summary: 'List the events of a user',
        description: `Newest first, in projects that you may see. ${listed} A private profile has none for others.`,
        params: ByUser,
        querystring: EventFilter,
        response,
      },
    },
    async (req, reply) => {
      const user = await findUserBy(db, req.params.id)
      if (!mayReadProfile(user, req.viewer)) return paginateNothing(req, reply)
      return list(req, reply, { kind: 'author', id: user.id })
    },
  )

  app.get(
    '/projects/:project_id/events',
    {
      config: reads(project('read_project', 'project_id'), { scopes }),
      schema: {
        summary: 'List the events of a project',
        description: 'Newest first, as far as you may see what they are about.',
        params: ByProject,
        querystring: EventFilter,
        response,
      },
    },
    (req, reply) => list(req, reply, { kind: 'project', project: req.project() }),
  )

  async function list(req: ListRequest, reply: FastifyReply, of: FeedOf) {
    const feed = feedOf(req, of)
    const longest = inlineBytes(req.query)
    const rows = await paginateIds(
      req,
      reply,
      {
        find: (wanted) => findEvents(db, feed, wanted),
        count: () => countEvents(db, feed),
        findByKeys: () => pageByKeys(req, reply, eventOrder, (wanted) => findEventsByKeys(db, feed, wanted)),
        read: (ids) => readEvents(db, feed, ids, longest),
      },
      eventOrder,
    )
    const long = {
      rows,
      lacks: ({ left_out }: (typeof rows)[number]) => left_out ?? 0,
      whole: (ids: readonly number[]) => readEvents(db, feed, ids),
    }
    const presenting = { site: req.site, ofProject: of.kind === 'project' }
    return sendLong(req, reply, long, (some) => presentEvents(some, presenting))
  }
}

function feedOf(req: ListRequest, of: FeedOf): Feed {
  const { action, target_type, after, before } = req.query
  const isListed = ({ area }: Kind) => of.kind === 'project' || area !== 'merge_requests'
  const kinds = kindsWhere(
    (kind) =>
      isListed(kind) &&
      (action === undefined || kind.action === action) &&
      (target_type === undefined || kind.filter === target_type),
  )
  return { of, kinds, after, before, reader: { ...req.viewer, id: req.user().id } }
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { anyone, reads, writes } from '#platform/access/route-access.ts'
import { countForUser } from './counts.ts'
import { UserCounts, UserOfMine, UserPreferences, UserStatus } from './entity.ts'
import { NewPreferences, NewStatus as StatusParameters } from './parameters.ts'
import { presentPreferences, presentStatus, presentUserAdmin, presentUserSelf } from './present.ts'
import { findUser, lockUser } from './queries.ts'
import { setPreferences } from './set-preferences.ts'
import { type NewStatus, setStatus } from './set-status.ts'

const scopes = ['api', 'read_api', 'read_user'] as const

/** Routes with which callers read and change their own account. */
export const ownRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.get(
    '/user',
    {
      config: reads(anyone, { scopes }),
      schema: { summary: 'Get the current user', response: { 200: UserOfMine } },
    },
    async (req) => {
      const user = await findUser(db, req.user().id)
      const asAdministrator = user.admin && req.identity?.sudoBy === undefined
      return asAdministrator ? presentUserAdmin(user, req) : presentUserSelf(user, req.site)
    },
  )

  app.get(
    '/user_counts',
    {
      config: reads(anyone, { scopes }),
      schema: {
        summary: 'Count the issues, merge requests and to-do items of the current user',
        response: { 200: UserCounts },
      },
    },
    async (req) => {
      const counts = await countForUser(db, { ...req.viewer, id: req.user().id })
      return { merge_requests: counts.assigned_merge_requests, ...counts }
    },
  )

  app.get(
    '/user/status',
    {
      config: reads(anyone, { scopes }),
      schema: { summary: 'Get the status of the current user', response: { 200: UserStatus } },
    },
    async (req) => presentStatus(await findUser(db, req.user().id), services.clock.now().toISOString()),
  )

  app.put(
    '/user/status',
    {
      config: writes(anyone),
      schema: {
        summary: 'Set the status of the current user, and clear the fields that are not given',
        body: StatusParameters,
        response: { 200: UserStatus },
      },
    },
    (req) => putStatus(req, req.body, false),
  )

  app.patch(
    '/user/status',
    {
      config: writes(anyone),
      schema: {
        summary: 'Set the status of the current user, and keep the fields that are not given',
        body: StatusParameters,
        response: { 200: UserStatus },
      },
    },
    (req) => putStatus(req, req.body, true),
  )

  app.get(
    '/user/preferences',
    {
      config: reads(anyone, { scopes }),
      schema: { summary: 'Get the preferences of the current user', response: { 200: UserPreferences } },
    },
    async (req) => presentPreferences(await findUser(db, req.user().id)),
  )

  app.put(
    '/user/preferences',
    {
      config: writes(anyone),
      schema: {
        summary: 'Change the preferences of the current user',
        body: NewPreferences,
        response: { 200: UserPreferences },
      },
    },
    (req) =>
      req.write(async (tx) => {
        const user = await lockUser(tx, req.user().id)
        return presentPreferences({ id: user.id, preferences: await setPreferences(tx, user, req.body) })
      }),
  )
}

function putStatus(req: FastifyRequest, given: NewStatus, keep: boolean) {
  return req.write(async (tx) => {
    const user = await lockUser(tx, req.user().id)
    return presentStatus({ status: await setStatus(tx, user, given, keep) }, tx.now)
  })
}

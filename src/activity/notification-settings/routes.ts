import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { anyone, reads, writes } from '#platform/access/route-access.ts'
import { ById } from '#platform/http/schema.ts'
import { type EventChoices, changeSettings } from './change-settings.ts'
import { GlobalNotificationSettings, NotificationSettings, presentGlobal, presentSettings } from './entity.ts'
import { GlobalSettingsChanges, SettingsChanges } from './parameters.ts'
import { findGlobalSettings, findSettings } from './queries.ts'

const isLicensed = ({ server }: FastifyRequest) => server.services.currentPlan() !== 'free'

/** The given changes, without the event that needs a plan where the instance has none. */
function licensedOnly<T extends Pick<EventChoices, 'new_epic'>>(
  req: FastifyRequest,
  changes: T,
): Omit<T, 'new_epic'> {
  if (isLicensed(req)) return changes
  const { new_epic: _, ...others } = changes
  return others
}

/** What people want to be told of. */
export const notificationSettingsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/notification_settings',
    {
      config: reads(anyone),
      schema: { summary: 'Get your notification settings', response: { 200: GlobalNotificationSettings } },
    },
    async (req) => presentGlobal(await findGlobalSettings(db, req.user().id), isLicensed(req)),
  )

  app.put(
    '/notification_settings',
    {
      config: writes(anyone),
      schema: {
        summary: 'Change your notification settings',
        description: 'Events count at the level `custom`, and are kept at every other.',
        body: GlobalSettingsChanges,
        refuses: [400],
        response: { 200: GlobalNotificationSettings },
      },
    },
    async (req) => {
      const { id } = req.user()
      const changed = await req.write(async (tx) => {
        await changeSettings(tx, id, null, licensedOnly(req, req.body))
        return findGlobalSettings(tx.db, id)
      })
      return presentGlobal(changed, isLicensed(req))
    },
  )

  for (const { kind, seen, open } of projectsAndGroups) {
    const path = `/${kind}s/:id/notification_settings` as const

    app.get(
      path,
      {
        config: reads(seen),
        schema: {
          summary: `Get your notification settings in a ${kind}`,
          params: ById,
          response: { 200: NotificationSettings },
        },
      },
      async (req) => {
        const row = await findSettings(db, req.user().id, open(req).container.namespace_id)
        return presentSettings(row, isLicensed(req))
      },
    )

    app.put(
      path,
      {
        config: writes(seen),
        schema: {
          summary: `Change your notification settings in a ${kind}`,
          description: 'Events count at the level `custom`, and are kept at every other.',
          params: ById,
          body: SettingsChanges,
          response: { 200: NotificationSettings },
        },
      },
      async (req) => {
        const { id } = req.user()
        const { namespace_id } = open(req).container
        const row = await req.write(async (tx) => {
          await changeSettings(tx, id, namespace_id, licensedOnly(req, req.body))
          return findSettings(tx.db, id, namespace_id)
        })
        return presentSettings(row, isLicensed(req))
      },
    )
  }
}

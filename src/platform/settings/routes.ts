import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { admin, reads, writes } from '#platform/access/route-access.ts'
import { invalid } from '#platform/refusals.ts'
import { changeSettings, InvalidSettings } from './change-settings.ts'
import { applicationSettings, presentSettings, settingsChanges } from './entity.ts'

/** The settings of the instance, for administrators. */
export const settingsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const answers = { 200: applicationSettings() }

  app.get(
    '/application/settings',
    {
      config: reads(admin),
      schema: { summary: 'Get the application settings', response: answers },
    },
    () => presentSettings(db, services.settings()),
  )

  app.put(
    '/application/settings',
    {
      config: writes(admin),
      schema: {
        summary: 'Change application settings',
        description:
          'Changes only the given settings. Every process of the instance follows within a second.',
        body: settingsChanges(),
        response: answers,
      },
    },
    async (req) => {
      await req.write((tx) => changeSettings(tx, req.body)).catch(refuse)
      return presentSettings(db, await services.settingsView.reload())
    },
  )
}

function refuse(error: unknown): never {
  throw error instanceof InvalidSettings ? invalid(error.faults) : error
}

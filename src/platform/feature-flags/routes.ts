import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, reads, writes } from '#platform/access/route-access.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { NoContent } from '#platform/http/schema.ts'
import { deleteFeatureFlag } from './delete-feature-flag.ts'
import { FeatureDefinition, FeatureSwitch, presentDefinitions, presentSwitch } from './entity.ts'
import { BySwitch, SwitchSetting } from './parameters.ts'
import { lockSwitch, readSwitches } from './queries.ts'
import { assertKnown, readSetting } from './read-setting.ts'
import { setFeatureFlag } from './set-feature-flag.ts'

/** The feature flags of the instance, for administrators. */
export const featureFlagRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.get(
    '/features',
    {
      config: reads(admin),
      schema: {
        summary: 'List the feature flags that are set',
        description: 'A flag that was never set is not in the list; it has its default.',
        response: { 200: Type.Array(FeatureSwitch) },
      },
    },
    async () => (await readSwitches(db)).map(presentSwitch),
  )

  app.get(
    '/features/definitions',
    {
      config: reads(admin),
      schema: {
        summary: 'List all feature flags',
        response: { 200: Type.Array(FeatureDefinition) },
      },
    },
    async () => presentDefinitions(),
  )

  app.post(
    '/features/:name',
    {
      config: writes(admin),
      schema: {
        summary: 'Set a feature flag',
        description:
          'Sets it for everybody, or with `user`, `group` and so on for some. Every process follows within a second.',
        params: BySwitch,
        body: SwitchSetting,
        response: { 201: FeatureSwitch },
      },
    },
    async (req) => {
      const { name } = req.params
      assertKnown(name, req.body)
      const set = await req.write(async (tx) => setFeatureFlag(tx, name, await readSetting(tx.db, req.body)))
      await services.featureFlags.reload()
      return presentSwitch(set)
    },
  )

  app.delete(
    '/features/:name',
    {
      config: writes(admin),
      schema: {
        summary: 'Reset a feature flag to its default',
        description: 'The answer is the same whether it was set or not.',
        params: BySwitch,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        const found = await lockSwitch(tx, req.params.name)
        if (found === undefined) return
        assertUnmodified(req, found.updated_at)
        await deleteFeatureFlag(tx, found)
      })
      await services.featureFlags.reload()
    },
  )
}

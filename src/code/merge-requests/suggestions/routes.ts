import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { anyone, writes } from '#platform/access/route-access.ts'
import { integer, list, text } from '#platform/http/schema.ts'
import { invalid, notFound } from '#platform/refusals.ts'
import { Suggestion } from '#planning/noteables/suggesting.ts'
import { applySuggestions } from './apply-suggestions.ts'
import { MAX_APPLIED } from './limits.ts'

const commit_message = Type.Optional(
  text({
    max: 100_000,
    description: 'Instead of the template of the project. It may have the same placeholders.',
  }),
)

const what =
  'The commit is yours, and names others who suggested it as co-authors. Threads are resolved, if you may resolve them. 403 for ' +
  'those who may not push to the source branch, 400 for what cannot be applied any more, and 409 when somebody else was faster.'

/** Applying what notes on merge requests suggest. */
export const suggestionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.put(
    '/suggestions/:id/apply',
    {
      config: writes(anyone),
      schema: {
        summary: 'Apply a suggestion',
        description: `Makes a commit of it on the source branch of the merge request. ${what}`,
        params: Type.Object({ id: integer({ minimum: 1 }) }),
        body: Type.Object({ commit_message }),
        refuses: [400, 409],
        response: { 200: Suggestion },
      },
    },
    async (req) => {
      const [applied] = await applySuggestions(req, [req.params.id], req.body.commit_message)
      if (applied === undefined) throw notFound('Suggestion')
      return applied
    },
  )

  app.put(
    '/suggestions/batch_apply',
    {
      config: writes(anyone),
      schema: {
        summary: 'Apply suggestions',
        description: `Makes one commit of suggestions of one merge request: of all of them or none. ${what}`,
        body: Type.Object({
          ids: list(integer({ minimum: 1 }), { max: MAX_APPLIED, description: 'Of the suggestions.' }),
          commit_message,
        }),
        refuses: [400, 409],
        response: { 200: Type.Array(Suggestion) },
      },
    },
    async (req) => {
      const ids = [...new Set(req.body.ids)]
      if (ids.length === 0) throw invalid({ ids: ['are missing'] })
      return applySuggestions(req, ids, req.body.commit_message)
    },
  )
}

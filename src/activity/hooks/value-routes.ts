import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { writes } from '#platform/access/route-access.ts'
import { NoContent } from '#platform/http/schema.ts'
import { changeValue, deleteValue } from './change-value.ts'
import { assertReachable, fillUrl } from './hook-url.ts'
import { hookOwnerKinds } from './owners.ts'
import { byValue, HookValue } from './parameters.ts'
import { findHook, lockHook } from './queries.ts'
import { openSecretsOf } from './sealing.ts'

const collections = [
  { segment: 'custom_headers', of: 'header', title: 'a custom header' },
  { segment: 'url_variables', of: 'variable', title: 'a URL variable' },
] as const

/** The custom headers of webhooks, and the variables of their URLs, one at a time. */
export const hookValueRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const { secrets, outgoing } = app.services

  for (const { kind, base, noun, subject, tier, ownerOf } of hookOwnerKinds) {
    for (const { segment, of, title } of collections) {
      app.put(
        `${base}/:hook_id/${segment}/:key`,
        {
          config: writes(subject('admin_hook'), tier),
          schema: {
            summary: `Set ${title} of a webhook of ${noun}`,
            params: byValue(kind),
            body: HookValue,
            refuses: [422],
            response: { 204: NoContent },
          },
        },
        async (req) => {
          const { hook_id, key } = req.params
          const { value } = req.body
          if (of === 'variable') {
            const hook = await findHook(db, ownerOf(req), hook_id)
            const filled = fillUrl(hook.url, { ...openSecretsOf(secrets, hook).variables, [key]: value })
            if (URL.canParse(filled)) await assertReachable(outgoing, filled)
          }
          await req.write(async (tx) => {
            const hook = await lockHook(tx, ownerOf(req), hook_id)
            await changeValue(tx, hook, of, { key, value }, secrets)
          })
        },
      )

      app.delete(
        `${base}/:hook_id/${segment}/:key`,
        {
          config: writes(subject('admin_hook'), tier),
          schema: {
            summary: `Remove ${title} of a webhook of ${noun}`,
            params: byValue(kind),
            ...(of === 'variable' && { refuses: [422] as const }),
            response: { 204: NoContent },
          },
        },
        async (req) => {
          await req.write(async (tx) => {
            const hook = await lockHook(tx, ownerOf(req), req.params.hook_id)
            await deleteValue(tx, hook, of, req.params.key)
          })
        },
      )
    }
  }
}

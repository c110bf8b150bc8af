import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { reads, writes } from '#platform/access/route-access.ts'
import { pageParameters } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { byKey, checkAttributes, type HookAttributes } from './attributes.ts'
import { createHook } from './create-hook.ts'
import { deleteHook } from './delete-hook.ts'
import { hookEntities, presentHook } from './entity.ts'
import { assertReachable, checkUrl, fillUrl } from './hook-url.ts'
import { hookOwnerKinds } from './owners.ts'
import { ByHook, hookChanges, newHook } from './parameters.ts'
import { findHook, hookOrder, hooksOf, lockHook } from './queries.ts'
import { openSecretsOf } from './sealing.ts'
import { updateHook } from './update-hook.ts'

/** Webhooks of projects, groups and the instance. */
export const hookRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const { clock, secrets, settings, outgoing } = app.services

  for (const { kind, base, noun, subject, tier, ownerOf } of hookOwnerKinds) {
    const Hook = hookEntities[kind]

    app.get(
      base,
      {
        config: reads(subject('read_hook'), tier),
        schema: {
          summary: `List the webhooks of ${noun}`,
          description: 'Oldest first.',
          ...(kind !== 'system' && { params: ById }),
          querystring: Type.Object(pageParameters),
          response: { 200: Type.Array(Hook) },
        },
      },
      async (req, reply) => {
        const rows = await paginate(req, reply, hooksOf(db, ownerOf(req)), hookOrder)
        return rows.map((row) => presentHook(row, ownerOf(req), clock.now()))
      },
    )

    app.get(
      `${base}/:hook_id`,
      {
        config: reads(subject('read_hook'), tier),
        schema: { summary: `Get a webhook of ${noun}`, params: ByHook(kind), response: { 200: Hook } },
      },
      async (req) =>
        presentHook(await findHook(db, ownerOf(req), req.params.hook_id), ownerOf(req), clock.now()),
    )

    app.post(
      base,
      {
        config: writes(subject('admin_hook'), tier),
        schema: {
          summary: `Add a webhook to ${noun}`,
          ...(kind !== 'system' && { params: ById }),
          body: newHook(kind),
          refuses: [422],
          response: { 201: Hook },
        },
      },
      async (req) => {
        const given: HookAttributes & { readonly url: string } = req.body
        checkAttributes(given)
        await assertReachable(outgoing, checkUrl(given.url, byKey(given.url_variables ?? [])))
        const context = { secrets, settings: settings(), site: req.site }
        const hook = await req.write((tx) => createHook(tx, ownerOf(req), given, context))
        return presentHook(hook, ownerOf(req), clock.now())
      },
    )

    app.put(
      `${base}/:hook_id`,
      {
        config: writes(subject('admin_hook'), tier),
        schema: {
          summary: `Change a webhook of ${noun}`,
          description: 'With another URL, tokens that are not given again are forgotten.',
          params: ByHook(kind),
          body: hookChanges(kind),
          refuses: [422],
          response: { 200: Hook },
        },
      },
      async (req) => {
        const given: HookAttributes = req.body
        if (given.url !== undefined) {
          const hook = await findHook(db, ownerOf(req), req.params.hook_id)
          const { variables } = openSecretsOf(secrets, hook)
          const filled = fillUrl(given.url, given.url_variables ? byKey(given.url_variables) : variables)
          if (URL.canParse(filled)) await assertReachable(outgoing, filled)
        }
        const hook = await req.write(async (tx) => {
          const locked = await lockHook(tx, ownerOf(req), req.params.hook_id)
          return updateHook(tx, ownerOf(req), locked, given, secrets)
        })
        return presentHook(hook, ownerOf(req), clock.now())
      },
    )

    app.delete(
      `${base}/:hook_id`,
      {
        config: writes(subject('admin_hook'), tier),
        schema: {
          summary: `Delete a webhook of ${noun}`,
          params: ByHook(kind),
          response: { 204: NoContent },
        },
      },
      async (req) => {
        await req.write(async (tx) => {
          await deleteHook(tx, await lockHook(tx, ownerOf(req), req.params.hook_id, true))
        })
      },
    )
  }
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { anyone, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { NoContent } from '#platform/http/schema.ts'
import { lockUser } from '#identity/users/queries.ts'
import { addKey } from './add-key.ts'
import { deleteKey } from './delete-key.ts'
import { presentSshKey, SshKey } from './entity.ts'
import { ByKey, KeyList } from './parameters.ts'
import { findKeyOf, keyOrder, keysOfUser } from './queries.ts'
import { NewSshKey } from './schema.ts'

const scopes = ['api', 'read_api', 'read_user'] as const

/** Routes with which callers keep their own SSH keys. */
export const ownKeyRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/user/keys',
    {
      config: reads(anyone, { scopes }),
      schema: {
        summary: 'List the SSH keys of the current user',
        querystring: KeyList,
        response: { 200: Type.Array(SshKey) },
      },
    },
    async (req, reply) => {
      const user = req.user()
      const rows = await paginate(req, reply, keysOfUser(db, user.id), keyOrder)
      return rows.map((row) => presentSshKey(row, user, req.site))
    },
  )

  app.get(
    '/user/keys/:key_id',
    {
      config: reads(anyone, { scopes }),
      schema: {
        summary: 'Get an SSH key of the current user',
        params: ByKey,
        response: { 200: SshKey },
      },
    },
    async (req) => {
      const user = req.user()
      return presentSshKey(await findKeyOf(db, user.id, req.params.key_id), user, req.site)
    },
  )

  app.post(
    '/user/keys',
    {
      config: writes(anyone),
      schema: {
        summary: 'Add an SSH key to the current user',
        body: NewSshKey,
        response: { 201: SshKey },
      },
    },
    async (req) => {
      const user = req.user()
      const key = await req.write(async (tx) => addKey(tx, await lockUser(tx, user.id), req.body))
      return presentSshKey(key, user, req.site)
    },
  )

  app.delete(
    '/user/keys/:key_id',
    {
      config: writes(anyone),
      schema: {
        summary: 'Delete an SSH key of the current user',
        params: ByKey,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        const user = await lockUser(tx, req.user().id)
        await deleteKey(tx, user, await findKeyOf(tx.db, user.id, req.params.key_id))
      })
    },
  )
}

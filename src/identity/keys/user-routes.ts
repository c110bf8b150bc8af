import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, anyone, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { NoContent } from '#platform/http/schema.ts'
import { findUser, findUserBy, lockUser } from '#identity/users/queries.ts'
import { addKey } from './add-key.ts'
import { deleteKey } from './delete-key.ts'
import { presentSshKey, SshKey } from './entity.ts'
import { ByUser, ByUserAndKey, ByUserOrName, KeyList } from './parameters.ts'
import { findKeyOf, keyOrder, keysOfUser } from './queries.ts'
import { NewSshKey } from './schema.ts'

/** As for accounts: anonymous callers must not find out who has one. */
const ofOneAccount = reads(anyone, { scopes: ['api', 'read_api', 'read_user'], withoutCredentials: 403 })

/** The SSH keys of other users: everybody signed in reads them, administrators keep them. */
export const userKeyRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/users/:id_or_username/keys',
    {
      config: ofOneAccount,
      schema: {
        summary: 'List the SSH keys of a user',
        params: ByUserOrName,
        querystring: KeyList,
        response: { 200: Type.Array(SshKey) },
      },
    },
    async (req, reply) => {
      const user = await findUserBy(db, req.params.id_or_username)
      const rows = await paginate(req, reply, keysOfUser(db, user.id), keyOrder)
      return rows.map((row) => presentSshKey(row, user, req.site))
    },
  )

  app.get(
    '/users/:id/keys/:key_id',
    {
      config: ofOneAccount,
      schema: { summary: 'Get an SSH key of a user', params: ByUserAndKey, response: { 200: SshKey } },
    },
    async (req) => {
      const user = await findUser(db, req.params.id)
      return presentSshKey(await findKeyOf(db, user.id, req.params.key_id), user, req.site)
    },
  )

  app.post(
    '/users/:id/keys',
    {
      config: writes(admin),
      schema: {
        summary: 'Add an SSH key to a user',
        params: ByUser,
        body: NewSshKey,
        response: { 201: SshKey },
      },
    },
    async (req) => {
      return req.write(async (tx) => {
        const user = await lockUser(tx, req.params.id)
        return presentSshKey(await addKey(tx, user, req.body), user, req.site)
      })
    },
  )

  app.delete(
    '/users/:id/keys/:key_id',
    {
      config: writes(admin),
      schema: {
        summary: 'Delete an SSH key of a user',
        params: ByUserAndKey,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        const user = await lockUser(tx, req.params.id)
        await deleteKey(tx, user, await findKeyOf(tx.db, user.id, req.params.key_id))
      })
    },
  )
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { admin, reads } from '#platform/access/route-access.ts'
import { append } from '#platform/sequences.ts'
import { presentUserSelf } from '#identity/users/present.ts'
import { accounts, users } from '#identity/users/queries.ts'
import { presentKey, presentSshKey, SshKeyWithUser } from './entity.ts'
import { keyInProjects } from './extension-points.ts'
import { ByFingerprint, ByKeyId } from './parameters.ts'
import { findKey, type OwnedKey, hasFingerprint, hasId } from './queries.ts'

/** Routes with which administrators find out whose key it is. */
export const keyLookUpRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/keys/:id',
    {
      config: reads(admin),
      schema: {
        summary: 'Get a key and its owner',
        params: ByKeyId,
        response: { 200: SshKeyWithUser },
      },
    },
    async (req) => withUser(req, await findKey(db, hasId(req.params.id))),
  )

  app.get(
    '/keys',
    {
      config: reads(admin),
      schema: {
        summary: 'Get the key with a fingerprint, and its owner',
        description: 'Finds SSH keys of people and deploy keys.',
        querystring: ByFingerprint,
        response: { 200: SshKeyWithUser },
      },
    },
    async (req) => withUser(req, await findKey(db, hasFingerprint(req.query.fingerprint))),
  )
}

async function withUser({ server: { db }, site }: FastifyRequest, key: OwnedKey) {
  const userId = key.user_id ?? key.created_by_id
  const found =
    userId === null ? undefined : await accounts(users(db)).where('u.id', '=', userId).executeTakeFirst()
  const user = found === undefined ? null : presentUserSelf(found, site)
  if (key.user_id !== null && found !== undefined) return { ...presentSshKey(key, found, site), user }
  const uses: Static<typeof SshKeyWithUser>['deploy_keys_projects'] = []
  for (const find of keyInProjects.entries) append(uses, await find(db, key.id))
  return { ...presentKey(key), user, deploy_keys_projects: uses }
}

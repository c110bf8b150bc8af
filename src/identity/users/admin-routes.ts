import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { admin, writes } from '#platform/access/route-access.ts'
import { withStoredAvatar } from '#identity/avatars/store-avatar.ts'
import { refuseLater } from '#platform/http/later.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { NoContent } from '#platform/http/schema.ts'
import { changesFrom, newUserFrom } from './account-parameters.ts'
import { mailReset, mailWelcome } from '#identity/emails/account-mails.ts'
import { askToConfirm } from '#identity/emails/ask-to-confirm.ts'
import { createUser } from './create-user.ts'
import { deleteUser } from './delete-user.ts'
import { UserAdmin } from './entity.ts'
import { identityFrom, removeIdentity, setIdentity } from './identities.ts'
import { findOrganization } from '#identity/organizations/queries.ts'
import {
  ByIdentity,
  ByUser,
  Deletion,
  unsupportedParameters,
  NewUserParameters,
  UserChangesParameters,
} from './parameters.ts'
import { presentUserAdmin } from './present.ts'
import { findUser, lockUser } from './queries.ts'
import { stayInOrganization } from './stay-in-organization.ts'
import { updateUser } from './update-user.ts'

/** Administrators' routes for accounts. */
export const userAdminRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const { mail } = services

  app.post(
    '/users',
    {
      config: writes(admin),
      schema: {
        summary: 'Create a user',
        body: NewUserParameters,
        refuses: [409],
        response: { 201: UserAdmin },
      },
    },
    async (req) => {
      refuseLater(req.body, unsupportedParameters)
      const asked = await withStoredAvatar(services, req.body)
      const identity = identityFrom(req.body)
      const user = await newUserFrom(asked, services.settings())
      const created = await req.write(async (tx) => {
        if (user.organizationId !== undefined) await findOrganization(tx.db, user.organizationId)
        const { id } = await createUser(tx, user)
        if (identity !== undefined) await setIdentity(tx, { id, identities: [] }, identity)
        const made = await findUser(tx.db, id)
        if (mail !== undefined) await mailWelcome(tx, made, user.passwordDigest !== null, mail.site)
        return made
      })
      return presentUserAdmin(created, req)
    },
  )

  app.put(
    '/users/:id',
    {
      config: writes(admin),
      schema: {
        summary: 'Change a user',
        params: ByUser,
        body: UserChangesParameters,
        refuses: [409],
        response: { 200: UserAdmin },
      },
    },
    async (req) => {
      refuseLater(req.body, unsupportedParameters)
      const identity = identityFrom(req.body)
      const user = await findUser(db, req.params.id)
      const changes = await changesFrom(await withStoredAvatar(services, req.body), user)
      return req.write(async (tx) => {
        const user = await lockUser(tx, req.params.id)
        const { organization_id } = req.body
        if (organization_id !== undefined) await stayInOrganization(tx, user.id, organization_id)
        const { email, ...others } = changes
        const isUnconfirmed =
          mail !== undefined &&
          email !== undefined &&
          email.toLowerCase() !== user.email.toLowerCase() &&
          req.body.skip_reconfirmation !== true
        if (isUnconfirmed) await askToConfirm(tx, user, email, mail.site)
        await updateUser(tx, user, isUnconfirmed ? others : changes)
        if (mail !== undefined && req.body.reset_password === true) await mailReset(tx, user, mail.site)
        if (identity !== undefined) await setIdentity(tx, user, identity)
        return presentUserAdmin(await findUser(tx.db, req.params.id), req)
      })
    },
  )

  app.delete(
    '/users/:id',
    {
      config: writes(admin),
      schema: {
        summary: 'Delete a user',
        params: ByUser,
        querystring: Deletion,
        refuses: [409, 412],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        const user = await lockUser(tx, req.params.id)
        assertUnmodified(req, user.updated_at)
        await deleteUser(tx, user, req.query.hard_delete)
      })
    },
  )

  app.delete(
    '/users/:id/identities/:provider',
    {
      config: writes(admin),
      schema: {
        summary: 'Delete an identity of a user',
        params: ByIdentity,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { id, provider } = req.params
      await req.write(async (tx) => removeIdentity(tx, await lockUser(tx, id), provider))
    },
  )
}

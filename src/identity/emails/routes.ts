import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, anyone, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { NoContent } from '#platform/http/schema.ts'
import { findUser, lockUser } from '#identity/users/queries.ts'
import { mailConfirmation } from './account-mails.ts'
import { Email, presentEmail } from './entity.ts'
import {
  ByEmail,
  ByUser,
  ByUserAndEmail,
  EmailList,
  NewEmailOfUser,
  NewEmailParameters,
} from './parameters.ts'
import { emailOrder, emailsOf, findEmailOf } from './queries.ts'
import { addEmail, deleteEmail } from './write-email.ts'

const scopes = ['api', 'read_api', 'read_user'] as const

/** Mails go to addresses of others, too, until they are confirmed. */
const CONFIRMATIONS = { points: 20, seconds: 60 * 60 }

/** Routes with which people keep their further addresses. */
export const ownEmailRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.get(
    '/user/emails',
    {
      config: reads(anyone, { scopes }),
      schema: {
        summary: 'List the further e-mail addresses of the current user',
        querystring: EmailList,
        response: { 200: Type.Array(Email) },
      },
    },
    async (req, reply) => {
      const rows = await paginate(req, reply, emailsOf(db, req.user().id), emailOrder)
      return rows.map(presentEmail)
    },
  )

  app.get(
    '/user/emails/:email_id',
    {
      config: reads(anyone, { scopes }),
      schema: {
        summary: 'Get a further e-mail address of the current user',
        params: ByEmail,
        response: { 200: Email },
      },
    },
    async (req) => presentEmail(await findEmailOf(db, req.user().id, req.params.email_id)),
  )

  app.post(
    '/user/emails',
    {
      config: writes(anyone),
      schema: {
        summary: 'Add an e-mail address to the current user',
        description: 'The owner of the address gets a mail with a link that confirms it.',
        body: NewEmailParameters,
        response: { 201: Email },
      },
    },
    async (req) => {
      const { id } = req.user()
      await services.limits.take('confirmation mails', id, CONFIRMATIONS)
      const row = await req.write(async (tx) => {
        const user = await lockUser(tx, id)
        const added = await addEmail(tx, user, { email: req.body.email, confirmed: false })
        if (services.mail !== undefined) await mailConfirmation(tx, user, added.email, services.mail.site)
        return added
      })
      return presentEmail(row)
    },
  )

  app.delete(
    '/user/emails/:email_id',
    {
      config: writes(anyone),
      schema: {
        summary: 'Delete a further e-mail address of the current user',
        params: ByEmail,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        const user = await lockUser(tx, req.user().id)
        await deleteEmail(tx, user, await findEmailOf(tx.db, user.id, req.params.email_id))
      })
    },
  )
}

/** Administrators' routes for the addresses of users. */
export const userEmailRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.get(
    '/users/:id/emails',
    {
      config: reads(admin, { scopes }),
      schema: {
        summary: 'List the further e-mail addresses of a user',
        params: ByUser,
        querystring: EmailList,
        response: { 200: Type.Array(Email) },
      },
    },
    async (req, reply) => {
      const { id } = await findUser(db, req.params.id)
      const rows = await paginate(req, reply, emailsOf(db, id), emailOrder)
      return rows.map(presentEmail)
    },
  )

  app.post(
    '/users/:id/emails',
    {
      config: writes(admin),
      schema: {
        summary: 'Add an e-mail address to a user',
        params: ByUser,
        body: NewEmailOfUser,
        response: { 201: Email },
      },
    },
    async (req) => {
      const { email, skip_confirmation: confirmed = false } = req.body
      const row = await req.write(async (tx) => {
        const user = await lockUser(tx, req.params.id)
        const added = await addEmail(tx, user, { email, confirmed })
        if (!confirmed && services.mail !== undefined)
          await mailConfirmation(tx, user, added.email, services.mail.site)
        return added
      })
      return presentEmail(row)
    },
  )

  app.delete(
    '/users/:id/emails/:email_id',
    {
      config: writes(admin),
      schema: {
        summary: 'Delete a further e-mail address of a user',
        params: ByUserAndEmail,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        const user = await lockUser(tx, req.params.id)
        await deleteEmail(tx, user, await findEmailOf(tx.db, user.id, req.params.email_id))
      })
    },
  )
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { admin, reads, type Tier, writes } from '#platform/access/route-access.ts'
import { sendHead } from '#platform/http/headers.ts'
import { pageParameters } from '#platform/http/order.ts'
import { record } from '#platform/facts/record.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { NoContent, nullable } from '#platform/http/schema.ts'
import { sendOrNull } from '#platform/http/serializers.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { acceptLicense } from './accept-license.ts'
import { addLicense } from './add-license.ts'
import { countBillableUsers } from '#identity/users/billable-users.ts'
import { countBillable } from './count-billable-users.ts'
import { currentLicense } from './current-license.ts'
import { deleteLicense } from './delete-license.ts'
import { License, ListedLicense, presentLicense, presentListedLicense } from './entity.ts'
import { issueOwn } from './issue-own.ts'
import { trustedKeys } from './keys.ts'
import { ByLicense, NewLicense, OwnLicense } from './parameters.ts'
import { findLicense, licenseOrder, licenses } from './queries.ts'
import { exportUsage, UsageExport } from './usage-export.ts'

/** Hosted offerings are licensed in other ways. */
const tier: Tier = { licensedArea: 'Licenses', plan: 'free', offerings: ['self-managed', 'dedicated'] }

/** The licenses of the instance, for administrators. */
export const licenseRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.get(
    '/license',
    {
      config: reads(admin, { tier }),
      schema: {
        summary: 'Get the current license',
        description: 'The license in force. If there is none, the one that ended last, or `null`.',
        response: { 200: nullable(License) },
      },
    },
    async (req, reply) => {
      const current = currentLicense(services.licenses.current(), req.viewer.today)
      return sendOrNull(reply, current === undefined ? null : await presentOne(req, current.id))
    },
  )

  app.get(
    '/licenses',
    {
      config: reads(admin, { tier }),
      schema: {
        summary: 'List the licenses',
        description: 'Also future and expired licenses. The one that was added last comes first.',
        querystring: Type.Object(pageParameters),
        response: { 200: Type.Array(ListedLicense) },
      },
    },
    async (req, reply) => {
      const { today } = req.viewer
      const rows = await paginate(req, reply, licenses(db), licenseOrder)
      const users = await countBillableUsers(db, today)
      return rows.map((row) => presentListedLicense(row, users, today))
    },
  )

  app.get(
    '/license/:id',
    {
      config: reads(admin, { tier }),
      schema: { summary: 'Get a license', params: ByLicense, response: { 200: License } },
    },
    (req) => presentOne(req, req.params.id),
  )

  app.post(
    '/license',
    {
      config: writes(admin, { tier }),
      schema: {
        summary: 'Add a license',
        description:
          'A license that starts later takes effect on its first day. Every process of the instance follows within a second.',
        body: NewLicense,
        response: { 201: License },
      },
    },
    async (req) => {
      const keys = await trustedKeys(services.secrets, services.config)
      const license = await acceptLicense(req.body.license, keys, req.viewer.today)
      const id = await req.write((tx) => addLicense(tx, license))
      await services.licenses.reload()
      return presentOne(req, id)
    },
  )

  app.post(
    '/license/issue',
    {
      config: writes(admin, { tier }),
      schema: {
        summary: 'Issue a license to this instance',
        description:
          'The instance signs a license with its own key and adds it. GitLab has no such endpoint. Every process follows within a second.',
        body: OwnLicense,
        response: { 201: License },
      },
    },
    async (req) => {
      const issuer = await db
        .selectFrom('users')
        .select(['name', 'email'])
        .where('id', '=', req.user().id)
        .executeTakeFirstOrThrow()
      const license = await issueOwn(services.secrets, req.body, issuer, req.viewer.today)
      const { plan, starts_at, expires_at, licensee } = license.terms
      const id = await req.write(async (tx) => {
        const added = await addLicense(tx, license)
        const details = { plan, starts_at, expires_at, company: licensee.Company }
        record(tx, {
          name: 'license issued',
          namespace: null,
          target: { type: 'License', id: added },
          details,
        })
        return added
      })
      await services.licenses.reload()
      return presentOne(req, id)
    },
  )

  app.delete(
    '/license/:id',
    {
      config: writes(admin, { tier }),
      schema: {
        summary: 'Delete a license',
        params: ByLicense,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        const license = await findLicense(tx.db, req.params.id)
        assertUnmodified(req, license.created_at)
        await deleteLicense(tx, license.id)
      })
      await services.licenses.reload()
    },
  )

  app.put(
    '/license/:id/refresh_billable_users',
    {
      config: writes(admin, { tier }),
      schema: {
        summary: 'Recount the billable users',
        description: 'Runs in the background. The server also does this once a day.',
        params: ByLicense,
        response: { 202: Type.Object({ success: Type.Boolean() }) },
      },
    },
    async (req) => {
      await findLicense(db, req.params.id)
      await req.write((tx) => enqueue(tx, countBillable, {}))
      return { success: true }
    },
  )

  // Clients take the suffix for a format, and some leave it out.
  for (const suffix of ['.csv', '']) {
    app.route({
      method: ['GET', 'HEAD'],
      url: `/license/usage_export${suffix}`,
      config: reads(admin, { tier }),
      schema: {
        summary: 'Export the billable users of each day',
        description: 'The days of the current license; all days if there is none.',
        response: { 200: UsageExport },
      },
      handler: async (req, reply) => {
        reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', 'attachment; filename="license_usage.csv"')
        if (req.method === 'HEAD') return sendHead(reply)
        const current = currentLicense(services.licenses.current(), req.viewer.today)
        const exported = {
          name: 'license usage exported',
          namespace: null,
          target: null,
          details: {},
        } as const
        await req.write(async (tx) => record(tx, exported))
        return reply.send(exportUsage(db, current?.id, services.clock.now()))
      },
    })
  }
}

async function presentOne({ server, viewer }: FastifyRequest, id: number) {
  const license = await findLicense(server.db, id)
  return presentLicense(license, await countBillableUsers(server.db, viewer.today), viewer.today)
}

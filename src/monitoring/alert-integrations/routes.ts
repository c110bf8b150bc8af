import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { onlyOne } from '#platform/sequences.ts'
import { createIntegration } from './create-integration.ts'
import { AlertIntegration, AlertSettings, type IntegrationRow, mappingOf } from './entity.ts'
import { readIntegrationValues } from './given.ts'
import { makeKey } from './keys.ts'
import {
  AlertSettingsChanges,
  ByIntegration,
  IntegrationChanges,
  NewIntegration,
  IntegrationPages,
} from './parameters.ts'
import { presentIntegrations } from './present.ts'
import { findIntegration, integrationOrder, integrationsOf, lockIntegration } from './queries.ts'
import { lockIntegrationsOf, settingsOf, updateSettings } from './settings-of.ts'
import { deleteIntegration, resetKey, updateIntegration } from './update-integration.ts'

const COLLECTION = '/projects/:id/alert_management/integrations'
const ONE = `${COLLECTION}/:integration_id`
const SETTINGS = '/projects/:id/alert_management/settings'
const reading = reads(project('read_alert_integration'))
const changing = writes(project('admin_alert_integration'))

/** The integrations of a project that receive alerts, and its settings for alerts. */
export const integrationRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.get(
    COLLECTION,
    {
      config: reading,
      schema: {
        summary: 'List the alert integrations of a project',
        description: 'Oldest first. Those who may not change them see neither URLs nor keys.',
        params: ById,
        querystring: IntegrationPages,
        response: { 200: Type.Array(AlertIntegration) },
      },
    },
    async (req, reply) => {
      const rows = await paginate(
        req,
        reply,
        integrationsOf(db, req.project().container.id),
        integrationOrder,
      )
      return presentAll(req, rows)
    },
  )

  app.post(
    COLLECTION,
    {
      config: changing,
      schema: {
        summary: 'Add an alert integration to a project',
        description: 'More than one, a mapping and a sample payload need Premium.',
        params: ById,
        body: NewIntegration,
        refuses: [400],
        response: { 201: AlertIntegration },
      },
    },
    async (req) => {
      const { type = 'generic', name, ...asked } = req.body
      const {
        active = true,
        preset = null,
        mapping = {},
        sample_payload = null,
      } = readIntegrationValues(req, asked, { mapping: {}, sample_payload: null })
      const key = await makeKey(services)
      const plan = services.currentPlan()
      const { container } = req.project()
      const row = await req.write((tx) =>
        createIntegration(
          tx,
          container,
          { name, type, active, preset, mapping, sample_payload },
          { key, plan },
        ),
      )
      return presentOne(req, row)
    },
  )

  app.get(
    ONE,
    {
      config: reading,
      schema: {
        summary: 'Get an alert integration of a project',
        params: ByIntegration,
        response: { 200: AlertIntegration },
      },
    },
    async (req) =>
      presentOne(req, await findIntegration(db, req.project().container.id, req.params.integration_id)),
  )

  app.put(
    ONE,
    {
      config: changing,
      schema: {
        summary: 'Change an alert integration of a project',
        params: ByIntegration,
        body: IntegrationChanges,
        refuses: [400],
        response: { 200: AlertIntegration },
      },
    },
    async (req) => {
      const { container } = req.project()
      const row = await req.write(async (tx) => {
        await lockIntegrationsOf(tx, container.id)
        const locked = await lockIntegration(tx, container.id, req.params.integration_id)
        const { sample_payload } = locked
        const given = readIntegrationValues(req, req.body, {
          mapping: mappingOf(locked.mapping),
          sample_payload,
        })
        return updateIntegration(tx, locked, container.namespace_id, given)
      })
      return presentOne(req, row)
    },
  )

  app.post(
    `${ONE}/reset_authorization_key`,
    {
      config: changing,
      schema: {
        summary: 'Give an alert integration another key',
        description: 'The key before is refused from then on.',
        params: ByIntegration,
        response: { 200: AlertIntegration },
      },
    },
    async (req) => {
      const { container } = req.project()
      const key = await makeKey(services)
      const row = await req.write(async (tx) =>
        resetKey(
          tx,
          await lockIntegration(tx, container.id, req.params.integration_id),
          container.namespace_id,
          key,
        ),
      )
      return presentOne(req, row)
    },
  )

  app.delete(
    ONE,
    {
      config: changing,
      schema: {
        summary: 'Delete an alert integration of a project',
        description: 'Its alerts stay.',
        params: ByIntegration,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { container } = req.project()
      await req.write(async (tx) =>
        deleteIntegration(
          tx,
          await lockIntegration(tx, container.id, req.params.integration_id),
          container.namespace_id,
        ),
      )
    },
  )

  app.get(
    SETTINGS,
    {
      config: reading,
      schema: {
        summary: 'Get the settings of a project for alerts',
        params: ById,
        response: { 200: AlertSettings },
      },
    },
    async (req) => settingsOf(db, req.project().container.id),
  )

  app.put(
    SETTINGS,
    {
      config: changing,
      schema: {
        summary: 'Change the settings of a project for alerts',
        description:
          'With `external_on_call`, all integrations become inactive, and none can become active until it is off.',
        params: ById,
        body: AlertSettingsChanges,
        response: { 200: AlertSettings },
      },
    },
    async (req) => req.write((tx) => updateSettings(tx, req.project().container, req.body)),
  )

  function presentAll(req: FastifyRequest, rows: readonly IntegrationRow[]) {
    const { container, can } = req.project()
    const isTrusted = can('admin_alert_integration')
    return presentIntegrations(services, rows, { project: container, site: req.site, isTrusted })
  }

  async function presentOne(req: FastifyRequest, row: IntegrationRow) {
    return onlyOne(await presentAll(req, [row]))
  }
}

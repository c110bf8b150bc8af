import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { AuditEvent, entityTypes } from '#administration/audit-events/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { text } from '#platform/http/schema.ts'
import { emptyList, otherPages, pageNumber } from '../frame/lists.ts'
import { removable } from '../frame/list-page.ts'
import { since } from '../frame/moments.ts'
import { filterForm, given } from '../parts/filters.ts'
import { titled } from '../parts/words.ts'
import { adminPage, Nothing } from './frame.ts'

const HERE = '/admin/audit_logs'

const word = Type.Optional(text())

/** Who did what on the instance. */
export const auditAdminPages: FastifyPluginAsyncTypebox = async (app) => {
  adminPage(app, '/audit_logs', 'Audit events', {
    params: Nothing,
    querystring: Type.Object({
      page: pageNumber,
      entity_type: word,
      created_after: word,
      created_before: word,
    }),
    async show({ api, query: { page, ...asked } }) {
      const filters = {
        entity_type: given(asked.entity_type),
        created_after: given(asked.created_after),
        created_before: given(asked.created_before),
      }
      const list = await api.findList(AuditEvent, '/audit_events', { ...filters, page })
      if (list === undefined) return { title: 'Audit events', body: withoutPlan() }
      const isFiltered = Object.values(filters).some((value) => value !== undefined)
      return {
        title: 'Audit events',
        body: html`<h1>Audit events</h1>
          ${filterForm(HERE, [
            {
              name: 'entity_type',
              label: 'About',
              value: filters.entity_type,
              options: entityTypes,
              titles: kinds,
            },
            { name: 'created_after', label: 'From (2026-01-31)', value: filters.created_after },
            { name: 'created_before', label: 'Until (2026-12-31)', value: filters.created_before },
          ])}
          ${removable(HERE, filters)}
          ${
            list.items.length === 0
              ? emptyList(isFiltered ? 'Nothing fits these filters.' : 'Nothing has happened yet.')
              : html`<ul class="rows">
                  ${list.items.map((event) => html`<li>${eventRow(event)}</li>`)}
                </ul>`
          }
          ${otherPages(list, page, HERE, filters)}`,
      }
    },
  })
}

const kinds = {
  User: 'People',
  Group: 'Groups',
  Project: 'Projects',
  'Gitlab::Audit::InstanceScope': 'The instance',
} as const

/** What one event is about. */
const entities = {
  User: 'Person',
  Group: 'Group',
  Project: 'Project',
  'Gitlab::Audit::InstanceScope': 'The instance',
} as const

const withoutPlan = (): Html =>
  html`<h1>Audit events</h1>
    ${emptyList('They need the plan Premium, and this instance has no license for it. They are recorded all the same.')}
    <p class="actions"><a class="button" href="/admin/license">Get a license</a></p>`

function eventRow({
  event_name,
  entity_type,
  entity_path,
  details,
  created_at,
}: Static<typeof AuditEvent>): Html {
  const { author_name, ip_address, target_type, target_details, impersonated_by } = details
  return html`<div>
      <strong>${titled(event_name)}</strong>
      <p class="quiet">
        ${author_name}${impersonated_by !== undefined && html` (by ${impersonated_by})`}${
          ip_address !== null && html`, from ${ip_address}`
        }
        · ${entities[entity_type]}:
        ${entity_path}${
          target_details !== null &&
          target_details !== entity_path &&
          html` · ${target_type}: ${target_details}`
        }
      </p>
      ${whatOf(details)}
    </div>
    <p class="quiet aside">${since(created_at)}</p>`
}

function whatOf(details: Static<typeof AuditEvent>['details']): Html | undefined {
  const { change, from, to, add, remove, as, with: by, custom_message } = details
  const parts = [
    ...(custom_message === undefined ? [] : [custom_message]),
    ...(change === undefined ? [] : [`${change}: ${from ?? 'nothing'} → ${to ?? 'nothing'}`]),
    ...(add === undefined ? [] : [`added ${add}`]),
    ...(remove === undefined ? [] : [`removed ${remove}`]),
    ...(as === undefined ? [] : [`as ${as}`]),
    ...(by === undefined ? [] : [`with ${by === 'standard' ? 'a password' : by}`]),
  ]
  return parts.length === 0 ? undefined : html`<p>${parts.join(', ')}</p>`
}

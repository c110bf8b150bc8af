import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { hookEntities } from '#activity/hooks/entity.ts'
import { HookEventEntity } from '#activity/hooks/event-entity.ts'
import { type Trigger, triggersOf } from '#activity/hooks/triggers.ts'
import { type Html, html } from '#platform/http/html.ts'
import { integer } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { type Action, asks, makes } from '../frame/action.ts'
import { OfContainer, projectsAndGroups } from '../frame/container.ts'
import type { Field } from '../frame/fields.ts'
import { formPage } from '../frame/form-page.ts'
import { emptyList, otherPages, pageNumber } from '../frame/lists.ts'
import { rightsIn } from '../frame/rights.ts'
import { withoutEmpty } from './common-fields.ts'
import { section } from './sections.ts'

type Kind = 'project' | 'group'
type Hook = Static<(typeof hookEntities)[Kind]>

/** Webhooks of projects and groups, and what became of their deliveries. */
export const hookRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const { at, open } of projectsAndGroups) {
    formPage(app, `${at}/hooks`, {
      who: 'signed in',
      params: Type.Object(OfContainer),
      querystring: Type.Object({ page: pageNumber }),
      async show({ request, api, params, query: { page }, forms }) {
        const container = await open(api, request, params.container)
        const { kind } = container
        const [rights, list] = await Promise.all([
          rightsIn(api, container.api),
          api.findList(hookEntities[kind], `${container.api}/hooks`, { page }),
        ])
        if (!rights.may('read_hook')) throw notFound()
        if (list === undefined)
          return {
            title: `Webhooks · ${container.title}`,
            place: container.header('Webhooks'),
            body: html`<h1>Webhooks</h1>
              ${emptyList('Webhooks of groups need a license for Premium. Those of projects do not.')}`,
          }
        return {
          title: `Webhooks · ${container.title}`,
          place: container.header('Webhooks'),
          body: html`<h1>Webhooks</h1>
            ${section({
              title: 'Receivers',
              about: `Programs that are told by HTTP what happens in the ${kind}.`,
              rows: list.items.map(
                (hook) =>
                  html`<div>
                    <a href="${container.page(`hooks/${hook.id}/edit`)}">${hook.name ?? hook.url}</a>
                    ${hook.alert_status !== 'executable' && html`<span class="badge">${hook.alert_status.replaceAll('_', ' ')}</span>`}
                    <p class="quiet">
                      ${triggersOf[kind]
                        .filter((name) => hook[name] === true)
                        .map(inWords)
                        .join(', ')}
                    </p>
                  </div>`,
              ),
              none: 'There is no webhook.',
              add:
                rights.may('admin_hook') &&
                forms.write({
                  does: 'add',
                  submit: 'Add the webhook',
                  opens: 'Add a webhook…',
                  fields: fieldsOf(kind, undefined),
                }),
            })}
            ${otherPages(list, page, container.page('hooks'), {})}`,
        }
      },
      async actions({ request, api, params }) {
        const container = await open(api, request, params.container)
        const add = {
          method: 'POST',
          path: `${container.api}/hooks`,
          says: 'The webhook is added. Try it here.',
        } as const
        const schema = hookEntities[container.kind]
        return {
          add: () =>
            withoutEmpty(
              makes(schema, add, ({ id }) => container.page(`hooks/${id}/edit`)),
              'token',
            ),
        }
      },
    })

    formPage(app, `${at}/hooks/:hook/edit`, {
      who: 'signed in',
      params: Type.Object({ ...OfContainer, hook: integer({ minimum: 1 }) }),
      querystring: Type.Object({ page: pageNumber }),
      async show({ request, api, params, query: { page }, forms }) {
        const container = await open(api, request, params.container)
        const { kind } = container
        const address = `${container.api}/hooks/${params.hook}`
        const [rights, hook, events] = await Promise.all([
          rightsIn(api, container.api),
          api.get(hookEntities[kind], address),
          api.list(HookEventEntity, `${address}/events`, { page }),
        ])
        const may = rights.may('admin_hook')
        return {
          title: `${hook.name ?? hook.url} · Webhooks · ${container.title}`,
          place: container.header('Webhooks'),
          body: html`<h1>Webhook <span class="quiet">${hook.name ?? hook.url}</span></h1>
            ${
              may &&
              html`${forms.write({ does: 'save', submit: 'Save', changes: true, fields: fieldsOf(kind, hook) })}
                <h2>Try it</h2>
                ${forms.write({
                  does: 'test',
                  submit: 'Send a sample',
                  looks: 'secondary',
                  fields: [
                    {
                      name: 'trigger',
                      label: 'What has happened',
                      is: 'choice',
                      options: triggersOf[kind].map((name) => ({ value: name, label: inWords(name) })),
                    },
                  ],
                })}`
            }
            <h2>Deliveries</h2>
            ${
              events.items.length === 0
                ? emptyList('Nothing was sent yet.')
                : html`<ul class="rows">
                    ${events.items.map(
                      (event) =>
                        html`<li>
                          ${delivery(event)}
                          ${may && forms.write({ does: `resend/${event.id}`, submit: 'Send again', about: `delivery ${event.id}`, looks: 'secondary' })}
                        </li>`,
                    )}
                  </ul>`
            }
            ${otherPages(events, page, container.page(`hooks/${params.hook}/edit`), {})}
            ${
              may &&
              html`<h2>Delete</h2>
                ${forms.write({ does: 'delete', submit: 'Delete', about: 'the webhook', asks: 'The receiver is told nothing any more, and its log goes.' })}`
            }`,
        }
      },
      async actions({ request, api, params }) {
        const container = await open(api, request, params.container)
        const address = `${container.api}/hooks/${params.hook}`
        return {
          save: () =>
            withoutEmpty(asks({ method: 'PUT', path: address, says: 'The webhook is changed.' }), 'token'),
          test: () => tests(address),
          resend: (id) =>
            asks({
              method: 'POST',
              path: `${address}/events/${encodeURIComponent(id)}/resend`,
              says: 'It was sent again. The log says what came of it.',
            }),
          delete: () =>
            asks({
              method: 'DELETE',
              path: address,
              says: 'The webhook is deleted.',
              to: container.page('hooks'),
            }),
        }
      },
    })
  }
}

const tests =
  (address: string): Action =>
  async (api, { trigger }) => {
    await api.send('POST', `${address}/test/${encodeURIComponent(String(trigger))}`)
    return { says: 'The sample was sent. The log says what came of it.', to: undefined }
  }

/** What people call what their parameters call otherwise. */
const words: Readonly<Partial<Record<Trigger, string>>> = {
  push_events: 'pushes to branches',
  tag_push_events: 'tags that are pushed',
  repository_update_events: 'changes of the repository',
  note_events: 'comments',
  confidential_note_events: 'internal and confidential comments',
  wiki_page_events: 'wiki pages',
  milestone_events: 'milestones',
  emoji_events: 'reactions',
  resource_access_token_events: 'access tokens that expire',
  job_events: 'jobs',
  pipeline_events: 'pipelines',
  deployment_events: 'deployments',
  feature_flag_events: 'feature flags',
  vulnerability_events: 'vulnerabilities',
  member_events: 'members',
  subgroup_events: 'subgroups',
  project_events: 'projects',
}

/** `merge_requests_events` → `merge requests` */
const inWords = (trigger: Trigger): string =>
  words[trigger] ?? trigger.replace(/_events$/, '').replaceAll('_', ' ')

const fieldsOf = (kind: Kind, hook: Hook | undefined): readonly Field[] => [
  { name: 'url', label: 'URL', is: 'url', value: hook?.url, required: true },
  { name: 'name', label: 'Name', value: hook?.name },
  {
    name: 'token',
    label: 'Secret',
    is: 'password',
    hint: `Sent as X-Gitlab-Token, and never shown.${hook?.token_present === true ? ' Empty: it stays as it is.' : ''}`,
  },
  ...triggersOf[kind].map((name): Field => ({
    name,
    label: `It is told of ${inWords(name)}`,
    is: 'check',
    value: hook === undefined ? name === 'push_events' : hook[name] === true,
  })),
  {
    name: 'push_events_branch_filter',
    label: 'Branches',
    hint: 'Whose pushes are sent; a * stands for anything. Empty: all.',
    value: hook?.push_events_branch_filter,
  },
  {
    name: 'enable_ssl_verification',
    label: 'Its certificate must be trusted',
    is: 'check',
    value: hook?.enable_ssl_verification ?? true,
  },
]

/** Characters of an answer that are shown. */
const SHOWN = 2_000

function delivery(event: Static<typeof HookEventEntity>): Html {
  const { trigger, response_status, execution_duration, response_body } = event
  const isGood = /^2\d\d$/.test(response_status)
  return html`<div>
    <span class="ci ${isGood ? 'good' : 'bad'}">${response_status}</span> ${trigger.replaceAll('_', ' ')}
    <span class="quiet">in ${execution_duration.toFixed(2)} s</span>
    ${
      response_body !== '' &&
      html`<details>
        <summary>Answer</summary>
        <pre tabindex="0">${response_body.slice(0, SHOWN)}</pre>
      </details>`
    }
  </div>`
}

import type { FastifyRequest } from 'fastify'
import { html, type Html } from '#platform/http/html.ts'
import { presetNames, presets } from '#monitoring/alert-receiver/payload/presets.ts'
import { payloadKinds } from '#monitoring/alert-receiver/payload/report.ts'
import { fieldWriterFor, problemsOf, type Problems } from '#platform/pages/forms.ts'
import { csrfField } from '#platform/pages/page.ts'
import { question } from '#platform/pages/question.ts'
import type { presentIntegration } from './entity.ts'

/** Where the page of a project is. */
export const PAGE = '/-/alert_integrations/:id'
export const pageOf = (projectId: number): string => PAGE.replace(':id', String(projectId))

interface IntegrationList {
  readonly project: { readonly id: number; readonly full_name: string }
  readonly integrations: readonly ReturnType<typeof presentIntegration>[]
  /** Whether the plan has mappings. */
  readonly mapped: boolean
  readonly problems: Problems
  /** What was typed as a name. */
  readonly name: string
}

/** The integrations of a project with their URLs and keys, and the form that makes another. */
export function integrationsPage(
  req: FastifyRequest,
  { project, integrations, mapped, problems, name }: IntegrationList,
): Html {
  return html`<h1>Alert integrations of <bdi>${project.full_name}</bdi></h1>
    <p>Give the URL and the key of an integration to the tool that sends alerts.</p>
    ${integrations.length === 0 && html`<p class="quiet">There are none yet.</p>`}
    <ul class="cards">
      ${integrations.map((one) => card(req, pageOf(project.id), one, mapped))}
    </ul>
    <h2>New integration</h2>
    ${newForm(req, pageOf(project.id), problems, name)}`
}

function card(
  req: FastifyRequest,
  page: string,
  one: IntegrationList['integrations'][number],
  mapped: boolean,
): Html {
  const field = (id: string, label: string, value: string | null) =>
    html`<div class="field">
      <label for="${id}-${one.id}">${label}</label>
      <input id="${id}-${one.id}" value="${value ?? ''}" readonly autocomplete="off" spellcheck="false" />
    </div>`
  const action = (end: string) => `${page}/${one.id}/${end}`
  return html`<li class="card">
    <h2><bdi>${one.name}</bdi></h2>
    <p class="quiet">
      ${one.type}${one.preset !== null && `, ${one.preset}`}, ${one.active ? 'active' : 'not active'}
    </p>
    ${field('url', 'URL', one.url)} ${field('key', 'Authorization key', one.authorization_key)}
    ${
      mapped &&
      html`<p>
        <a href="${action('mapping')}">Mapping <span class="unseen">of ${one.name}</span></a>
      </p>`
    }
    <div class="actions">
      <form method="post" action="${action(one.active ? 'deactivate' : 'activate')}">
        ${csrfField(req)}
        <button type="submit" class="secondary">
          ${one.active ? 'Deactivate' : 'Activate'} <span class="unseen">${one.name}</span>
        </button>
      </form>
      ${question(req, {
        verb: 'Reset',
        name: `the key of ${one.name}`,
        warning: 'The tool that sends alerts is refused until it has the new key.',
        action: action('reset'),
      })}
      ${question(req, {
        verb: 'Delete',
        name: one.name,
        warning: 'Alerts sent to it are refused from then on. Those that came stay.',
        action: action('delete'),
      })}
    </div>
  </li>`
}

function newForm(req: FastifyRequest, page: string, problems: Problems, name: string): Html {
  const field = fieldWriterFor(problems)
  const choice = (id: string, label: string, options: readonly (readonly [string, string])[]) =>
    html`<div class="field">
      <label for="${id}">${label}</label>
      <select id="${id}" name="${id}">
        ${options.map(([value, text]) => html`<option value="${value}">${text}</option>`)}
      </select>
      ${problemsOf(id, label, problems[id] ?? [])}
    </div>`
  return html`<form method="post" action="${page}">
    ${csrfField(req)}
    ${field({ name: 'name', label: 'Name', attributes: html`value="${name}" maxlength="255" required` })}
    ${choice(
      'type',
      'Type',
      payloadKinds.map((kind) => [kind, kind === 'generic' ? 'Generic' : 'Metrics format alone'] as const),
    )}
    ${choice('preset', 'Program that sends', [
      ['', 'Another'],
      ...presetNames.map((preset) => [preset, presets[preset].about] as const),
    ])}
    <button type="submit">Make the integration</button>
  </form>`
}

import type { Static } from 'typebox'
import { AlertIntegration, type AlertSettings } from '#monitoring/alert-integrations/entity.ts'
import { pageOf } from '#monitoring/alert-integrations/page.ts'
import { presetNames, presets } from '#monitoring/alert-receiver/payload/presets.ts'
import { type Html, html } from '#platform/http/html.ts'
import { type Action, asks } from '../frame/action.ts'
import type { ListPart } from '../frame/list-parts.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import type { Rights } from '../frame/rights.ts'
import { emptyAsNull } from '../settings/common-fields.ts'
import { makesSecret, section } from '../settings/sections.ts'

type Integration = Static<typeof AlertIntegration>

interface Offers {
  readonly rights: Rights
  /** Whether the plan has mappings. */
  readonly mapped: boolean
}

/** What receives alerts. A key is shown when it is made; whoever lost it makes another. */
export const integrations = (
  forms: Forms,
  { items, others }: ListPart<Integration>,
  { rights, mapped }: Offers,
): Html =>
  section({
    title: 'Alert integrations',
    about: 'Monitoring tools send alerts to the address of one, with its key.',
    rows: items.map((one) => html`${integrationRow(one, mapped)} ${integrationForms(forms, one, rights)}`),
    none: 'There is no integration.',
    others,
    add:
      rights.may('admin_alert_integration') &&
      forms.write({
        does: 'add-integration',
        submit: 'Make the integration',
        opens: 'New integration…',
        fields: [
          { name: 'name', label: 'Name', required: true, hint: 'It is a part of the address.' },
          {
            name: 'type',
            label: 'Takes',
            is: 'choice',
            options: [
              { value: 'generic', label: 'Any payload' },
              { value: 'prometheus', label: 'The metrics format alone' },
            ],
          },
          {
            name: 'preset',
            label: 'Program that sends',
            is: 'choice',
            options: [
              { value: '', label: 'Another' },
              ...presetNames.map((value) => ({ value, label: presets[value].about })),
            ],
          },
        ],
      }),
  })

const integrationRow = ({ id, project_id, name, active, url, preset }: Integration, mapped: boolean): Html =>
  html`<div>
    <strong>${name}</strong> <span class="badge">${active ? 'active' : 'not active'}</span>
    ${preset !== null && html`<span class="badge">${preset}</span>`}
    ${url !== null && html`<p class="quiet"><code>${url}</code></p>`}
    ${
      mapped &&
      html`<p>
        <a href="${pageOf(project_id)}/${id}/mapping">Mapping <span class="unseen">of ${name}</span></a>
      </p>`
    }
  </div>`

const integrationForms = (forms: Forms, { id, name, active }: Integration, rights: Rights): Html => html`
  ${
    active &&
    rights.may('test_alert_integration') &&
    forms.write({
      does: `test-integration/${id}`,
      submit: 'Send a test alert',
      about: `to ${name}`,
      looks: 'secondary',
    })
  }
  ${
    rights.may('admin_alert_integration') &&
    html`${forms.write({
      does: `switch-integration/${id}`,
      submit: active ? 'Deactivate' : 'Activate',
      about: name,
      looks: 'secondary',
      fields: [{ name: 'active', label: '', is: 'hidden', value: String(!active) }],
    })}
    ${forms.write({
      does: `reset-integration/${id}`,
      submit: 'New key',
      about: `for ${name}`,
      asks: 'The tool that sends alerts is refused until it has the new key.',
    })}
    ${forms.write({
      does: `delete-integration/${id}`,
      submit: 'Delete',
      about: name,
      asks: 'Alerts sent to it are refused from now on. Those that came stay.',
    })}`
  }
`

/** What becomes of alerts. */
export const alertSettings = (
  forms: Forms,
  settings: Static<typeof AlertSettings>,
  rights: Rights,
): Html | false =>
  rights.may('admin_alert_integration') &&
  html`<h2>What becomes of alerts</h2>
    ${forms.write({
      does: 'save-alerts',
      submit: 'Save',
      about: 'what becomes of alerts',
      changes: true,
      fields: [
        {
          name: 'create_incident',
          label: 'Each becomes an incident',
          is: 'check',
          value: settings.create_incident,
        },
        {
          name: 'incident_template',
          label: 'Template of incidents',
          value: settings.incident_template,
          hint: 'The name of a file in .gitlab/issue_templates, without .md. Empty: none.',
        },
        {
          name: 'auto_close_incident',
          label: 'An incident is closed when the tool says that its alert is over',
          is: 'check',
          value: settings.auto_close_incident,
        },
        { name: 'send_email', label: 'Mails tell of them', is: 'check', value: settings.send_email },
        {
          name: 'external_on_call',
          label: 'Another product is on call',
          hint: 'Then no integration is active.',
          is: 'check',
          value: settings.external_on_call,
        },
      ],
    })}`

/** @param address of the project, in the API */
export function integrationActions(address: string): Actions {
  const all = `${address}/alert_management/integrations`
  const one = (id: string) => `${all}/${encodeURIComponent(id)}`
  const fresh = (to: string): Action =>
    makesSecret(AlertIntegration, 'POST', to, ({ name, url, authorization_key }) => ({
      title: html`The integration ${name}`,
      label: 'Authorization key',
      secret: authorization_key ?? '',
      advice: html`<p>Give it to the tool that sends alerts, with the address <code>${url ?? ''}</code>.</p>`,
    }))
  return {
    'add-integration': () => emptyAsNull(fresh(all), 'preset'),
    'reset-integration': (id) => fresh(`${one(id)}/reset_authorization_key`),
    'switch-integration': (id) => asks({ method: 'PUT', path: one(id), says: 'The integration is changed.' }),
    'test-integration': (id) =>
      asks({
        method: 'POST',
        path: `${one(id)}/test`,
        says: 'A test alert was sent. It is in the list of alerts.',
      }),
    'delete-integration': (id) =>
      asks({ method: 'DELETE', path: one(id), says: 'The integration is deleted.' }),
    'save-alerts': () =>
      emptyAsNull(
        asks({
          method: 'PUT',
          path: `${address}/alert_management/settings`,
          says: 'Saved: what becomes of alerts.',
        }),
        'incident_template',
      ),
  }
}

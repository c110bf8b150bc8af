import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import type { ProjectDeployKey } from '#tenancy/deploy-keys/entity.ts'
import { asks } from '../frame/action.ts'
import type { ListPart } from '../frame/list-parts.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import type { Rights } from '../frame/rights.ts'
import { withoutEmpty } from './common-fields.ts'
import { section } from './sections.ts'

/** SSH keys of programs. */
export const deployKeys = (
  forms: Forms,
  list: ListPart<Static<typeof ProjectDeployKey>>,
  rights: Rights,
): Html =>
  section({
    title: 'Deploy keys',
    about: 'SSH keys of programs that fetch the code, or also push.',
    rows: list.items.map(
      ({ id, title, can_push, fingerprint_sha256, expires_at }) =>
        html`<div>
            <strong>${title}</strong> ${can_push && html`<span class="badge">may push</span>`}
            <p class="quiet">
              <code>${fingerprint_sha256}</code
              >${expires_at !== null && ` · until ${expires_at.slice(0, 10)}`}
            </p>
          </div>
          ${
            rights.may('admin_deploy_key') &&
            forms.write({
              does: `change-deploy-key/${id}`,
              submit: can_push ? 'Let it read alone' : 'Let it push',
              about: title,
              looks: 'secondary',
              fields: [{ name: 'can_push', label: '', is: 'hidden', value: String(!can_push) }],
            })
          }
          ${
            rights.may('remove_deploy_key') &&
            forms.write({
              does: `remove-deploy-key/${id}`,
              submit: 'Remove',
              about: title,
              asks: 'Programs that use it are refused from now on.',
            })
          }`,
    ),
    none: 'There is no deploy key.',
    others: list.others,
    add:
      rights.may('admin_deploy_key') &&
      forms.write({
        does: 'add-deploy-key',
        submit: 'Add the key',
        opens: 'Add a deploy key…',
        fields: [
          { name: 'title', label: 'Title', required: true },
          { name: 'key', label: 'Public key', is: 'lines', hint: 'As in a .pub file.', required: true },
          { name: 'can_push', label: 'It may also push', is: 'check' },
          { name: 'expires_at', label: 'Until', is: 'date', hint: 'Empty: without end.' },
        ],
      }),
  })

/** @param address of the project, in the API */
export const deployKeyActions = (address: string): Actions => {
  const one = (id: string) => `${address}/deploy_keys/${encodeURIComponent(id)}`
  return {
    'add-deploy-key': () =>
      withoutEmpty(
        asks({ method: 'POST', path: `${address}/deploy_keys`, says: 'The deploy key is added.' }),
        'expires_at',
      ),
    'change-deploy-key': (id) => asks({ method: 'PUT', path: one(id), says: 'The deploy key is changed.' }),
    'remove-deploy-key': (id) =>
      asks({ method: 'DELETE', path: one(id), says: 'The deploy key is removed.' }),
  }
}

import type { Static } from 'typebox'
import { type ClientKey, ErrorTracking } from '#monitoring/error-tracking/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { type Action, asks } from '../frame/action.ts'
import type { ListPart } from '../frame/list-parts.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import type { Rights } from '../frame/rights.ts'
import { section } from '../settings/sections.ts'

/** Whether errors are taken, and the keys with which programs report them. */
export const errorTracking = (
  forms: Forms,
  settings: Settings | undefined,
  keys: ListPart<Static<typeof ClientKey>> | undefined,
  rights: Rights,
): Html =>
  html`<h2>Error tracking</h2>
    ${
      rights.may('admin_error_tracking') &&
      forms.write({
        does: 'save-tracking',
        submit: 'Save',
        about: 'error tracking',
        changes: true,
        fields: [
          {
            name: 'active',
            label: 'Take errors that programs report',
            is: 'check',
            value: isActive(settings),
          },
          {
            name: 'scrub_personal_data',
            label: 'Take personal data out of what they report',
            is: 'check',
            value: settings?.scrub_personal_data,
          },
        ],
      })
    }
    ${section({
      title: 'Client keys',
      about: 'A Sentry SDK is given the address (DSN) of one. It lets programs report, and nothing else.',
      rows: (keys?.items ?? []).map(
        ({ id, tracker_dsn }) =>
          html`<div><code>${tracker_dsn}</code></div>
            ${
              rights.may('admin_error_tracking') &&
              forms.write({
                does: `delete-client-key/${id}`,
                submit: 'Delete',
                about: `client key ${id}`,
                asks: 'Programs that report with it are refused at once.',
              })
            }`,
      ),
      none: 'There is no client key.',
      others: keys?.others,
      add:
        rights.may('admin_error_tracking') &&
        forms.write({ does: 'add-client-key', submit: 'Make a client key', looks: 'secondary' }),
    })}`

type Settings = Static<typeof ErrorTracking>

const isActive = (settings: Settings | undefined): boolean => settings?.active === true && settings.integrated

/** The API wants to know of both whether it is active, and whether it is this tracker: there is no other. */
const savesTracking =
  (address: string): Action =>
  async (api, parameters) => {
    const active = parameters['active'] ?? isActive(await api.find(ErrorTracking, address))
    const asked = { method: 'PUT', path: address, also: { active, integrated: true } } as const
    return asks({ ...asked, says: 'Saved: error tracking.' })(api, parameters)
  }

/** @param address of the project, in the API */
export function errorTrackingActions(address: string): Actions {
  const keys = `${address}/error_tracking/client_keys`
  return {
    'save-tracking': () => savesTracking(`${address}/error_tracking/settings`),
    'add-client-key': () => asks({ method: 'POST', path: keys, says: 'The client key is made.' }),
    'delete-client-key': (id) =>
      asks({
        method: 'DELETE',
        path: `${keys}/${encodeURIComponent(id)}`,
        says: 'The client key is deleted.',
      }),
  }
}

import type { Static } from 'typebox'
import { type Registry, TestResult, type Upstream } from '#registries/virtual-registries/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { type Action, asks } from '../frame/action.ts'
import type { Field } from '../frame/fields.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { withoutEmpty } from '../settings/common-fields.ts'

const BASE = '/virtual_registries/container'

const named = (one?: { readonly name: string; readonly description: string | null }): readonly Field[] => [
  { name: 'name', label: 'Name', value: one?.name, required: true },
  { name: 'description', label: 'Description', value: one?.description },
]

const upstreamFields = (one?: Static<typeof Upstream>): readonly Field[] => [
  ...named(one),
  {
    name: 'url',
    label: 'URL',
    is: 'url',
    value: one?.url,
    required: true,
    hint: 'Such as https://registry-1.docker.io. With another URL, what is kept is forgotten.',
  },
  {
    name: 'cache_validity_hours',
    label: 'Ask again after',
    is: 'number',
    value: one?.cache_validity_hours ?? 24,
    hint: 'Hours for which a tag is served without asking.',
    attributes: html`min="0"`,
  },
  ...(one?.username == null
    ? []
    : [{ name: 'anonymous', label: 'Ask it without a user name from now on', is: 'check' } as const]),
  {
    name: 'username',
    label: 'User name there',
    hint: one?.username == null ? 'Empty: asked without one.' : `Empty: it stays ${one.username}.`,
  },
  {
    name: 'password',
    label: 'Password there',
    is: 'password',
    hint: 'Never shown. It goes with the user name.',
  },
]

export const newRegistry = (forms: Forms): Html =>
  html`<div class="actions">
    ${forms.write({ does: 'make-registry', opens: 'New virtual registry…', submit: 'Make it', fields: named() })}
  </div>`

export const registryForms = (forms: Forms, one: Static<typeof Registry>): Html =>
  html`<div class="actions">
    ${forms.write({
      does: `add-upstream/${one.id}`,
      opens: 'Add an upstream…',
      submit: 'Add it',
      about: `to ${one.name}`,
      fields: upstreamFields(),
    })}
    ${forms.write({
      does: `save-registry/${one.id}`,
      opens: 'Change…',
      submit: 'Save',
      about: one.name,
      changes: true,
      updatedAt: one.updated_at,
      fields: named(one),
    })}
    ${forms.write({
      does: `purge-registry/${one.id}`,
      submit: 'Forget what is kept',
      about: `of ${one.name}`,
      asks: 'The next pulls ask the upstreams again.',
    })}
    ${forms.write({
      does: `delete-registry/${one.id}`,
      submit: 'Delete',
      about: one.name,
      asks: 'Nobody pulls by it any more. Upstreams that no other registry has go, too.',
    })}
  </div>`

export const upstreamForms = (forms: Forms, one: Static<typeof Upstream>): Html =>
  html`<div class="actions">
    ${forms.write({ does: `test-upstream/${one.id}`, submit: 'Test', about: one.name, looks: 'secondary' })}
    ${forms.write({
      does: `save-upstream/${one.id}`,
      opens: 'Change…',
      submit: 'Save',
      about: one.name,
      changes: true,
      updatedAt: one.updated_at,
      fields: upstreamFields(one),
    })}
    ${forms.write({
      does: `purge-upstream/${one.id}`,
      submit: 'Forget what is kept',
      about: `of ${one.name}`,
      asks: 'The next pulls ask it again.',
    })}
    ${forms.write({
      does: `delete-upstream/${one.id}`,
      submit: 'Delete',
      about: one.name,
      asks: 'It goes from all registries, with what is kept of it.',
    })}
  </div>`

/** @param ofGroup where the API makes registries of the group */
export function virtualRegistryActions(ofGroup: string): Actions {
  const registry = (id: string) => `${BASE}/registries/${encodeURIComponent(id)}`
  const upstream = (id: string) => `${BASE}/upstreams/${encodeURIComponent(id)}`
  const deletes = (path: string, says: string) => asks({ method: 'DELETE', path, says })
  return {
    'make-registry': () => asks({ method: 'POST', path: ofGroup, says: 'The virtual registry is made.' }),
    'save-registry': (id) =>
      asks({ method: 'PATCH', path: registry(id), says: 'The virtual registry is changed.' }),
    'purge-registry': (id) => deletes(`${registry(id)}/cache`, 'What was kept is forgotten.'),
    'delete-registry': (id) => deletes(registry(id), 'The virtual registry is deleted.'),
    'add-upstream': (id) =>
      withoutEmpty(
        asks({ method: 'POST', path: `${registry(id)}/upstreams`, says: 'The upstream is added. Test it.' }),
        'username',
        'password',
        'cache_validity_hours',
      ),
    'save-upstream': (id) => changesUpstream(upstream(id)),
    'test-upstream': (id) => tests(`${upstream(id)}/test`),
    'purge-upstream': (id) => deletes(`${upstream(id)}/cache`, 'What was kept is forgotten.'),
    'delete-upstream': (id) => deletes(upstream(id), 'The upstream is deleted.'),
  }
}

/** What is left empty of user name and password stays, unless both are to go. */
const changesUpstream =
  (path: string): Action =>
  (api, { anonymous, ...parameters }, seen) => {
    const asked = asks({ method: 'PATCH', path, says: 'The upstream is changed.' })
    return anonymous === 'true'
      ? asked(api, { ...parameters, username: null, password: null }, seen)
      : withoutEmpty(asked, 'username', 'password')(api, parameters, seen)
  }

const tests =
  (path: string): Action =>
  async (api) => {
    const { success, result } = await api.sendFor(TestResult, 'POST', path)
    return {
      says: success
        ? 'The upstream answers as it should.'
        : `The upstream does not answer as it should: ${result ?? ''}`,
      to: undefined,
    }
  }

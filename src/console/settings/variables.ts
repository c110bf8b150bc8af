import type { Static } from 'typebox'
import type { Variable } from '#ci/variables/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { type Action, asks } from '../frame/action.ts'
import type { ListPart } from '../frame/list-parts.ts'
import type { Field } from '../frame/fields.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import type { Rights } from '../frame/rights.ts'
import { withoutEmpty } from './common-fields.ts'
import { section } from './sections.ts'

type OneVariable = Static<typeof Variable>

const MASKED = 'Logs show [MASKED] in its place.'

/** What jobs find in their environment. */
export const variables = (forms: Forms, list: ListPart<OneVariable>, rights: Rights): Html =>
  section({
    title: 'Variables',
    about: 'What jobs find in their environment: addresses, passwords, settings.',
    rows: list.items.map(
      (variable) =>
        html`<div>
            <code>${variable.key}</code>
            ${badges(variable).map((word) => html`<span class="badge">${word}</span> `)}
            <p class="quiet">
              ${variable.environment_scope === '*' ? 'All environments' : variable.environment_scope}${
                variable.description !== null && ` · ${variable.description}`
              }
            </p>
          </div>
          ${rights.may('admin_cicd_variable') && changing(forms, variable)}`,
    ),
    none: 'There is no variable.',
    others: list.others,
    add:
      rights.may('admin_cicd_variable') &&
      forms.write({
        does: 'add-variable',
        submit: 'Add the variable',
        opens: 'Add a variable…',
        fields: [
          { name: 'key', label: 'Name', hint: 'Letters, digits and _.', required: true },
          ...fieldsOf(undefined),
          { name: 'masked', label: 'Masked', hint: MASKED, is: 'check' },
          {
            name: 'masked_and_hidden',
            label: 'Masked and hidden',
            hint: 'Nobody can read it again, here or elsewhere.',
            is: 'check',
          },
        ],
      }),
  })

const badges = (one: OneVariable): readonly string[] => [
  ...(one.variable_type === 'file' ? ['file'] : []),
  ...(one.protected ? ['protected'] : []),
  ...(one.masked ? ['masked'] : []),
  ...(one.hidden ? ['hidden'] : []),
]

/** Several environments may have one with the same key. */
function changing(forms: Forms, variable: OneVariable): Html {
  const { key, environment_scope, hidden } = variable
  const about = `${key} of ${environment_scope}`
  return html`${forms.write({
    does: `${hidden ? 'change-hidden-variable' : 'change-variable'}/${key}/${environment_scope}`,
    submit: 'Save',
    about,
    opens: 'Change…',
    looks: 'secondary',
    changes: true,
    fields: [
      ...fieldsOf(variable),
      ...(hidden
        ? []
        : [{ name: 'masked', label: 'Masked', hint: MASKED, is: 'check', value: variable.masked } as const]),
    ],
  })}
  ${forms.write({
    does: `delete-variable/${key}/${environment_scope}`,
    submit: 'Delete',
    about,
    asks: 'Jobs that need it fail from now on.',
  })}`
}

const fieldsOf = (variable: OneVariable | undefined): readonly Field[] => [
  {
    name: 'value',
    label: 'Value',
    is: 'lines',
    hint: variable?.hidden === true ? 'Empty: it stays as it is.' : undefined,
    value: variable?.value,
  },
  {
    name: 'variable_type',
    label: 'Jobs find',
    is: 'choice',
    value: variable?.variable_type ?? 'env_var',
    options: [
      { value: 'env_var', label: 'The value' },
      { value: 'file', label: 'The path of a file with the value' },
    ],
  },
  {
    name: 'environment_scope',
    label: 'Environments',
    hint: 'A name, in which * stands for anything: review/*',
    value: variable?.environment_scope ?? '*',
    required: true,
  },
  { name: 'description', label: 'Description', value: variable?.description },
  {
    name: 'protected',
    label: 'Protected',
    hint: 'Only for jobs of protected branches and tags.',
    is: 'check',
    value: variable?.protected ?? false,
  },
  {
    name: 'raw',
    label: 'As it is',
    hint: 'References to other variables in it are left alone.',
    is: 'check',
    value: variable?.raw ?? false,
  },
]

/** @param address of the project or group, in the API */
export const variableActions = (address: string): Actions => ({
  'add-variable': () => addsVariable(address),
  'change-variable': (about) => changesVariable(address, about),
  // The value is not shown: whoever leaves it empty keeps it.
  'change-hidden-variable': (about) => withoutEmpty(changesVariable(address, about), 'value'),
  'delete-variable': (about) => {
    const { key, environment_scope } = named(about)
    const filter = new URLSearchParams({ 'filter[environment_scope]': environment_scope }).toString()
    return asks({
      method: 'DELETE',
      path: `${address}/variables/${encodeURIComponent(key)}?${filter}`,
      says: `${key} is deleted.`,
    })
  },
})

const addsVariable =
  (address: string): Action =>
  (api, { masked_and_hidden, ...parameters }) => {
    const hidden = [masked_and_hidden].flat().includes('true')
    const add = asks({
      method: 'POST',
      path: `${address}/variables`,
      also: hidden ? { masked_and_hidden: true } : {},
      says: `${String(parameters['key'])} is added.`,
    })
    return add(api, parameters)
  }

function changesVariable(address: string, about: string): Action {
  const { key, environment_scope } = named(about)
  return asks({
    method: 'PUT',
    path: `${address}/variables/${encodeURIComponent(key)}`,
    also: { filter: { environment_scope } },
    says: `${key} is changed.`,
  })
}

/** `KEY/review/*` */
function named(about: string): { readonly key: string; readonly environment_scope: string } {
  const at = about.indexOf('/')
  return { key: about.slice(0, at), environment_scope: about.slice(at + 1) }
}

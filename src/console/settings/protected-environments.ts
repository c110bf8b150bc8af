import type { Static } from 'typebox'
import type { ProtectedEnvironment } from '#delivery/protected-environments/entity.ts'
import { tiers } from '#delivery/environments/tier.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { List } from '../frame/api.ts'
import type { ListPart } from '../frame/list-parts.ts'
import type { Field } from '../frame/fields.ts'
import type { Forms } from '../frame/forms.ts'
import type { Rights } from '../frame/rights.ts'
import { titled } from '../parts/words.ts'
import { section } from './sections.ts'

type Protected = Static<typeof ProtectedEnvironment>
type Kind = 'project' | 'group'

const ABOUT = {
  project: 'Who may deploy to an environment, and who must approve first.',
  group: 'The same for all environments of a tier, in all projects of the group.',
} as const

/** Environments that not everybody may deploy to. */
export const protectedEnvironments = (
  forms: Forms,
  list: ListPart<Protected>,
  rights: Rights,
  kind: Kind,
): Html => {
  const mayChange = rights.may('admin_protected_environment')
  return section({
    title: 'Protected environments',
    about: ABOUT[kind],
    rows: list.items.map((one) => html`${summary(one)} ${mayChange && changing(forms, one)}`),
    none: 'No environment is protected: every Developer may deploy to each.',
    others: list.others,
    add:
      mayChange &&
      (kind === 'project' || list.items.length < tiers.length) &&
      forms.write({
        does: 'protect-environment',
        submit: 'Protect',
        opens: 'Protect an environment…',
        fields: [nameField(kind, list), ...granteeFields('May deploy'), APPROVALS],
      }),
  })
}

const nameField = (kind: Kind, { items }: List<Protected>): Field =>
  kind === 'project'
    ? { name: 'name', label: 'Environment', hint: 'Its name, also before it is there.', required: true }
    : {
        name: 'name',
        label: 'Tier',
        is: 'choice',
        options: tiers
          .filter((tier) => items.every(({ name }) => name !== tier))
          .map((tier) => ({ value: tier, label: titled(tier) })),
      }

const APPROVALS: Field = {
  name: 'required_approval_count',
  label: 'Approvals',
  is: 'number',
  hint: 'How many of those who may deploy must approve, where no rule says it.',
  value: 0,
}

/** Whom a grant means: one of these. */
const granteeFields = (label: string): readonly Field[] => [
  {
    name: 'access_level',
    label,
    is: 'choice',
    value: '40',
    options: [
      { value: '40', label: 'Maintainers' },
      { value: '30', label: 'Developers and Maintainers' },
      { value: '60', label: 'Administrators' },
    ],
  },
  { name: 'username', label: 'Instead: a user', hint: 'Their user name.' },
  { name: 'group', label: 'Instead: a group', hint: 'Its path. All its members are meant.' },
]

function summary({ name, deploy_access_levels, required_approval_count, approval_rules }: Protected): Html {
  const deployers = deploy_access_levels.map((one) => one.access_level_description)
  const rules = approval_rules.map((rule) => `${rule.required_approvals} of ${rule.access_level_description}`)
  const approvals = rules.length > 0 ? rules : [String(required_approval_count)]
  return html`<div>
    <code>${name}</code>
    <p class="quiet">Deploy: ${deployers.length === 0 ? 'no one' : deployers.join(', ')}</p>
    ${
      (rules.length > 0 || required_approval_count > 0) &&
      html`<p class="quiet">Approvals: ${approvals.join(', ')}</p>`
    }
  </div>`
}

/** Everything that can be changed of one, behind one button. It stays open with what was refused. */
const changing = (forms: Forms, one: Protected): Html =>
  html`<details class="question" ${formsOf(one).some((does) => forms.isRefused(does)) && html`open`}>
      <summary class="button secondary">Change… <span class="unseen">${one.name}</span></summary>
      <h3>Who may deploy to <code>${one.name}</code></h3>
      <ul>
        ${one.deploy_access_levels.map(
          (grant) =>
            html`<li>
              <bdi>${grant.access_level_description}</bdi>
              ${removing(forms, 'deploy', one.name, grant)}
            </li>`,
        )}
      </ul>
      ${forms.write({
        does: `add-deploy/${one.name}`,
        submit: 'Add',
        about: `who may deploy to ${one.name}`,
        looks: 'secondary',
        opens: 'Add who may deploy…',
        fields: granteeFields('May deploy'),
      })}
      <h3>Who must approve</h3>
      <ul>
        ${one.approval_rules.map(
          (grant) =>
            html`<li>
              <bdi>${grant.required_approvals} of ${grant.access_level_description}</bdi>
              ${removing(forms, 'approve', one.name, grant)}
            </li>`,
        )}
      </ul>
      ${forms.write({
        does: `add-approve/${one.name}`,
        submit: 'Add',
        about: `a rule of approvals for ${one.name}`,
        looks: 'secondary',
        opens: 'Add a rule…',
        fields: [
          ...granteeFields('Must approve'),
          {
            name: 'required_approvals',
            label: 'How many of them',
            is: 'number',
            value: 1,
            required: true,
            attributes: html`min="1"`,
          },
        ],
      })}
      ${
        one.approval_rules.length === 0 &&
        forms.write({
          does: `count-approvals/${one.name}`,
          submit: 'Save',
          about: `the approvals of ${one.name}`,
          looks: 'secondary',
          fields: [{ ...APPROVALS, value: one.required_approval_count }],
        })
      }
    </details>
    ${forms.write({
      does: `unprotect-environment/${one.name}`,
      submit: 'Unprotect',
      about: one.name,
      asks: 'Developers may then deploy to it without approval.',
    })}`

const formsOf = ({ name, deploy_access_levels, approval_rules }: Protected): readonly string[] => [
  ...['add-deploy', 'add-approve', 'count-approvals'].map((does) => `${does}/${name}`),
  ...deploy_access_levels.map(({ id }) => `remove-deploy/${id}/${name}`),
  ...approval_rules.map(({ id }) => `remove-approve/${id}/${name}`),
]

const removing = (
  forms: Forms,
  purpose: 'deploy' | 'approve',
  name: string,
  { id, access_level_description: who }: { readonly id: number; readonly access_level_description: string },
): Html =>
  forms.write({
    does: `remove-${purpose}/${id}/${name}`,
    submit: 'Remove',
    about: `${who} of ${name}`,
    asks: purpose === 'deploy' ? 'They may then deploy no more.' : 'Their approval is then needed no more.',
  })

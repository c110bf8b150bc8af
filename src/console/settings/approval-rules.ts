import type { Static } from 'typebox'
import type { ApprovalRule } from '#code/merge-requests/approvals/rule-entity.ts'
import type { ApprovalSettings } from '#code/merge-requests/approvals/settings.ts'
import { type Html, html } from '#platform/http/html.ts'
import { invalid } from '#platform/refusals.ts'
import { groupDetailEntity } from '#tenancy/groups/entity.ts'
import { type Action, asks } from '../frame/action.ts'
import { type Api, path, type Writing } from '../frame/api.ts'
import type { ListPart } from '../frame/list-parts.ts'
import type { Field } from '../frame/fields.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { person } from '../frame/people.ts'
import { section } from './sections.ts'

type ProjectRule = Static<typeof ApprovalRule>
/** A rule of a project, or one of a merge request, which is about no branches. */
type Rule = Omit<ProjectRule, OfBranches> & Partial<Pick<ProjectRule, OfBranches>>
type OfBranches = 'protected_branches' | 'applies_to_all_protected_branches'

/** Groups that a rule names by a form. The API takes more. */
const MOST_GROUPS = 10

/** How many approvals merge requests need, and whose. */
export const approvalRules = (forms: Forms, list: ListPart<ProjectRule>): Html =>
  section({
    title: 'Approval rules',
    about: 'How many approvals a merge request needs before it is merged, and whose.',
    rows: list.items.map((rule) => html`${ruleSummary(rule)} ${changingRule(forms, rule)}`),
    none: 'There is no rule: merge requests need no approval.',
    others: list.others,
    add: addingRule(forms, [ONLY_PROTECTED]),
  })

/** A form that adds a rule. @param more fields that only some rules have */
export const addingRule = (forms: Forms, more: readonly Field[] = []): Html =>
  forms.write({
    does: 'add-rule',
    submit: 'Add the rule',
    opens: 'Add a rule…',
    fields: [...fieldsOf(), ...more],
  })

/** What a rule demands. */
export function ruleSummary(rule: Rule): Html {
  const {
    name,
    approvals_required: needed,
    users,
    groups,
    rule_type,
    protected_branches: branches = [],
  } = rule
  return html`<div>
    <strong>${name}</strong>
    <p class="quiet">
      ${needed === 1 ? '1 approval' : `${needed} approvals`}
      ${
        rule_type === 'any_approver'
          ? 'of anybody who may approve'
          : html`of ${users.map((user) => html`${person(user)} `)}
            ${groups.map(({ full_path }) => html`<bdi>${full_path}</bdi> `)}`
      }
      ${rule.contains_hidden_groups && 'and groups that you cannot see'}
      ${rule.applies_to_all_protected_branches && '· protected branches alone'}
      ${branches.length > 0 && `· into ${branches.map(({ name: branch }) => branch).join(', ')}`}
    </p>
  </div>`
}

/** Forms that change a rule and remove it. */
export const changingRule = (forms: Forms, rule: Rule): Html => html`
  ${forms.write({
    does: `change-rule/${rule.id}`,
    submit: 'Save',
    opens: 'Change…',
    about: rule.name,
    changes: true,
    fields:
      rule.applies_to_all_protected_branches === undefined
        ? fieldsOf(rule)
        : [...fieldsOf(rule), { ...ONLY_PROTECTED, value: rule.applies_to_all_protected_branches }],
  })}
  ${forms.write({
    does: `remove-rule/${rule.id}`,
    submit: 'Remove',
    about: rule.name,
    asks: 'Merge requests then need these approvals no more.',
  })}
`

const ONLY_PROTECTED: Field = {
  name: 'applies_to_all_protected_branches',
  label: 'Only for merge requests into protected branches',
  is: 'check',
}

function fieldsOf(rule?: Rule): readonly Field[] {
  return [
    { name: 'name', label: 'Name', required: true, value: rule?.name },
    {
      name: 'approvals_required',
      label: 'Approvals',
      is: 'number',
      required: true,
      value: rule?.approvals_required ?? 1,
      attributes: html`min="0" max="100"`,
    },
    ...(rule?.rule_type === 'any_approver'
      ? []
      : [
          {
            name: 'usernames',
            label: 'Of these people',
            hint: 'User names, with commas. A rule that names nobody counts the approvals of everybody.',
            value: rule?.users.map(({ username }) => username).join(', '),
          },
          {
            name: 'groups',
            label: 'Of the members of these groups',
            hint: 'Paths, with commas.',
            value: rule?.groups.map(({ full_path }) => full_path).join(', '),
          },
        ]),
  ]
}

/** What else is demanded of approvals, by the names of the API. */
const demands = {
  merge_requests_author_approval: ['Authors may approve', 'what they wrote themselves.'],
  merge_requests_disable_committers_approval: ['Those who committed may not approve', undefined],
  reset_approvals_on_push: ['A push takes approvals back', 'Whoever approved looks at what is new.'],
  disable_overriding_approvers_per_merge_request: ['Merge requests have no rules of their own', undefined],
  require_reauthentication_to_approve: ['Approving takes the password', undefined],
} as const satisfies Partial<Record<keyof ApprovalSettings, readonly [string, string | undefined]>>
type Demand = keyof typeof demands
const isDemand = (name: string): name is Demand => name in demands

export const approvalSettings = (forms: Forms, settings: ApprovalSettings): Html =>
  html`<h2>What approvals must be</h2>
    ${forms.write({
      does: 'save-demands',
      submit: 'Save',
      about: 'what approvals must be',
      changes: true,
      fields: Object.keys(demands)
        .filter(isDemand)
        .map((name) => ({
          name,
          label: demands[name][0],
          hint: demands[name][1],
          is: 'check',
          value: settings[name],
        })),
    })}`

/** What the forms of rules do. @param address of the project or merge request, in the API */
export function ruleActions(address: string): Actions {
  const rules = `${address}/approval_rules`
  return {
    'add-rule': () => writesRule('POST', rules, 'The rule is added.'),
    'change-rule': (id) => writesRule('PUT', `${rules}${path`/${id}`}`, 'The rule is changed.'),
    'remove-rule': (id) =>
      asks({ method: 'DELETE', path: `${rules}${path`/${id}`}`, says: 'The rule is removed.' }),
  }
}

/** What the forms of a project do. @param address of the project, in the API */
export const approvalActions = (address: string): Actions => ({
  ...ruleActions(address),
  'save-demands': () =>
    asks({ method: 'POST', path: `${address}/approvals`, says: 'What approvals must be is saved.' }),
})

/** People name users and groups, with commas; the API numbers groups. */
const writesRule =
  (method: Writing, address: string, says: string): Action =>
  async (api, { usernames, groups, ...rule }) =>
    asks({
      method,
      path: address,
      also: {
        ...(typeof usernames === 'string' && { usernames: namesIn(usernames.replaceAll('@', '')) }),
        ...(typeof groups === 'string' && { group_ids: await groupIds(api, namesIn(groups)) }),
      },
      says,
    })(api, rule)

const namesIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

async function groupIds(api: Api, paths: readonly string[]): Promise<readonly number[]> {
  if (paths.length > MOST_GROUPS) throw invalid({ groups: [`are too many: name ${MOST_GROUPS} at most`] })
  return Promise.all(
    paths.map(async (name) => {
      const found = await api.find(groupDetailEntity(), path`/groups/${name}`, { with_projects: false })
      if (found === undefined) throw invalid({ groups: [`has no group here with the path ${name}`] })
      return found.id
    }),
  )
}

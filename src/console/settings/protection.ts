import type { Static } from 'typebox'
import type { ProtectedBranch } from '#code/protected-branches/entity.ts'
import type { AccessLevelEntry } from '#code/protected-references/entity.ts'
import type { ProtectedTag } from '#code/protected-tags/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { asks } from '../frame/action.ts'
import type { ListPart } from '../frame/list-parts.ts'
import type { Field } from '../frame/fields.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import type { Rights } from '../frame/rights.ts'
import { section } from './sections.ts'

const levels = [
  { value: '40', label: 'Maintainers' },
  { value: '30', label: 'Developers and Maintainers' },
  { value: '0', label: 'Nobody' },
]

const whoMay = (name: string, label: string): Field => ({
  name,
  label,
  is: 'choice',
  value: '40',
  options: levels,
})

const PATTERN = 'A * stands for any characters: release-*'

const inWords = (entries: readonly Static<typeof AccessLevelEntry>[]): string =>
  entries.length === 0 ? 'No one' : entries.map((one) => one.access_level_description).join(', ')

/** Branches that not everybody may push to. */
export const protectedBranches = (
  forms: Forms,
  list: ListPart<Static<typeof ProtectedBranch>>,
  rights: Rights,
): Html =>
  section({
    title: 'Protected branches',
    about: 'Who may push to a branch and merge into it. Nobody deletes one by a push.',
    rows: list.items.map(
      ({ name, push_access_levels, merge_access_levels, allow_force_push }) =>
        html`<div>
            <code>${name}</code> ${allow_force_push && html`<span class="badge">also by force</span>`}
            <p class="quiet">Push: ${inWords(push_access_levels)} · Merge: ${inWords(merge_access_levels)}</p>
          </div>
          ${
            rights.may('admin_protected_reference') &&
            html`${forms.write({
              does: `change-branch/${name}`,
              submit: allow_force_push ? 'Allow no force' : 'Allow force',
              about: `on ${name}`,
              looks: 'secondary',
              fields: [
                { name: 'allow_force_push', label: '', is: 'hidden', value: String(!allow_force_push) },
              ],
            })}
            ${forms.write({
              does: `unprotect-branch/${name}`,
              submit: 'Unprotect',
              about: name,
              asks: 'Developers may then push to it, also by force, and delete it.',
            })}`
          }`,
    ),
    none: 'No branch is protected: every Developer may push to each, also by force.',
    others: list.others,
    add:
      rights.may('admin_protected_reference') &&
      forms.write({
        does: 'protect-branch',
        submit: 'Protect',
        opens: 'Protect a branch…',
        fields: [
          { name: 'name', label: 'Branch', hint: PATTERN, required: true },
          whoMay('push_access_level', 'May push'),
          whoMay('merge_access_level', 'May merge'),
          { name: 'allow_force_push', label: 'Who may push does so also by force', is: 'check' },
        ],
      }),
  })

/** Tags that not everybody may create. */
export const protectedTags = (
  forms: Forms,
  list: ListPart<Static<typeof ProtectedTag>>,
  rights: Rights,
): Html =>
  section({
    title: 'Protected tags',
    about: 'Who may create such tags. Nobody moves or deletes them.',
    rows: list.items.map(
      ({ name, create_access_levels }) =>
        html`<div>
            <code>${name}</code>
            <p class="quiet">Create: ${inWords(create_access_levels)}</p>
          </div>
          ${
            rights.may('admin_protected_reference') &&
            forms.write({
              does: `unprotect-tag/${name}`,
              submit: 'Unprotect',
              about: name,
              asks: 'Developers may then create such tags.',
            })
          }`,
    ),
    none: 'No tag is protected.',
    others: list.others,
    add:
      rights.may('admin_protected_reference') &&
      forms.write({
        does: 'protect-tag',
        submit: 'Protect',
        opens: 'Protect tags…',
        fields: [
          { name: 'name', label: 'Tags', hint: 'A * stands for any characters: v*', required: true },
          whoMay('create_access_level', 'May create'),
        ],
      }),
  })

/** @param address of the project, in the API */
export const protectionActions = (address: string): Actions => {
  const branch = (name: string) => `${address}/protected_branches/${encodeURIComponent(name)}`
  const tag = (name: string) => `${address}/protected_tags/${encodeURIComponent(name)}`
  return {
    'protect-branch': () =>
      asks({ method: 'POST', path: `${address}/protected_branches`, says: 'The branch is protected.' }),
    'change-branch': (name) =>
      asks({ method: 'PATCH', path: branch(name), says: 'The protection is changed.' }),
    'unprotect-branch': (name) =>
      asks({ method: 'DELETE', path: branch(name), says: 'The branch is no longer protected.' }),
    'protect-tag': () =>
      asks({ method: 'POST', path: `${address}/protected_tags`, says: 'The tags are protected.' }),
    'unprotect-tag': (name) =>
      asks({ method: 'DELETE', path: tag(name), says: 'The tags are no longer protected.' }),
  }
}

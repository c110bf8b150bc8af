import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Action, asks } from '../frame/action.ts'
import type { Forms } from '../frame/forms.ts'
import { since } from '../frame/moments.ts'

const days = (value: string): { readonly value: string; readonly label: string } => ({
  value,
  label: `${Number.parseInt(value)} days`,
})

/** Which tags of images are deleted regularly. */
export function cleanupPolicy(forms: Forms, project: EitherProject): Html | false {
  const policy = project.container_expiration_policy
  return (
    policy !== undefined &&
    html`<h2>Cleanup of images</h2>
      <p class="quiet">
        Deletes tags that nobody needs any more.
        ${policy.enabled && html`It runs ${since(policy.next_run_at)}.`}
      </p>
      ${forms.write({
        does: 'save-cleanup',
        submit: 'Save',
        about: 'the cleanup of images',
        changes: true,
        fields: [
          { name: 'enabled', label: 'Clean up', is: 'check', value: policy.enabled },
          {
            name: 'cadence',
            label: 'How often',
            is: 'choice',
            value: policy.cadence,
            options: [
              { value: '1d', label: 'Every day' },
              { value: '7d', label: 'Every week' },
              { value: '14d', label: 'Every two weeks' },
              { value: '1month', label: 'Every month' },
              { value: '3month', label: 'Every three months' },
            ],
          },
          {
            name: 'name_regex',
            label: 'Delete tags whose whole name is',
            value: policy.name_regex,
            hint: 'An expression (RE2): .* for all.',
          },
          {
            name: 'name_regex_keep',
            label: 'But keep those whose whole name is',
            value: policy.name_regex_keep,
            hint: 'An expression, such as v.+ or main. Empty: none.',
          },
          {
            name: 'keep_n',
            label: 'Keep the latest of each image',
            is: 'number',
            value: policy.keep_n,
            hint: 'How many. Empty: no number.',
            attributes: html`min="1"`,
          },
          {
            name: 'older_than',
            label: 'Delete only what is older than',
            is: 'choice',
            value: policy.older_than,
            options: [{ value: '', label: 'Any age' }, ...['7d', '14d', '30d', '60d', '90d'].map(days)],
          },
        ],
      })}`
  )
}

/** @param address of the project, in the API */
export const savesCleanup =
  (address: string): Action =>
  (api, parameters) =>
    asks({
      method: 'PUT',
      path: address,
      also: {
        container_expiration_policy_attributes: Object.fromEntries(
          Object.entries(parameters).map(([name, value]) => [name, value === '' ? null : value]),
        ),
      },
      says: 'Saved: the cleanup of images.',
    })(api, {})

import type { Static } from 'typebox'
import type { RelatedIssue } from '#planning/issues/links/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { asks } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { pathIn } from '../frame/lists.ts'

type Related = Static<typeof RelatedIssue>

/** What the linked issues are to the issue of the page. */
const relations = {
  is_blocked_by: 'Blocked by',
  blocks: 'Blocks',
  relates_to: 'Related to',
} as const
const types = ['is_blocked_by', 'blocks', 'relates_to'] as const

/** More are counted: all of them would be longer than the issue. */
const MOST = 50

/** The issues that are linked to one, and the forms that link others. */
export function linkedIssues(
  forms: Forms,
  project: EitherProject,
  related: readonly Related[],
  mayLink: boolean,
): Html | undefined {
  if (related.length === 0 && !mayLink) return undefined
  const shown = related.slice(0, MOST)
  const more = related.length - shown.length
  return html`<section aria-label="Linked issues">
    <h2>Linked issues</h2>
    ${types.map((type) => {
      const some = shown.filter(({ link_type }) => link_type === type)
      return (
        some.length > 0 &&
        html`<h3>${relations[type]}</h3>
          <ul class="rows">
            ${some.map((one) => html`<li>${row(forms, project, one, mayLink)}</li>`)}
          </ul>`
      )
    })}
    ${more > 0 && html`<p class="quiet">${more} more are linked.</p>`}
    ${
      mayLink &&
      forms.write({
        does: 'link',
        opens: 'Link an issue',
        submit: 'Link',
        fields: [
          {
            name: 'link_type',
            label: 'This issue',
            is: 'choice',
            value: 'relates_to',
            options: [
              { value: 'relates_to', label: 'is related to' },
              { value: 'blocks', label: 'blocks' },
              { value: 'is_blocked_by', label: 'is blocked by' },
            ],
          },
          {
            name: 'target_issue_iid',
            label: 'Number of the other issue',
            is: 'number',
            required: true,
            attributes: html`min="1"`,
          },
          {
            name: 'target_project_id',
            label: 'Its project',
            required: true,
            value: project.path_with_namespace,
            hint: 'The path, such as group/project.',
          },
        ],
      })
    }
  </section>`
}

function row(forms: Forms, { id }: EitherProject, one: Related, mayLink: boolean): Html {
  const reference = one.project_id === id ? one.references.short : one.references.full
  return html`<div>
      <a href="${pathIn(one.web_url)}"><strong>${one.title}</strong></a>
      ${one.state !== 'opened' && html`<span class="badge">${one.state}</span>`}
      <p class="quiet">${reference}</p>
    </div>
    ${
      mayLink &&
      forms.write({
        does: `unlink/${one.issue_link_id}`,
        submit: 'Remove',
        about: `the link to ${reference}`,
        looks: 'secondary',
      })
    }`
}

/** What these forms do. @param address of the issue, in the API */
export const linkActions = (address: string): Actions => ({
  link: () => asks({ method: 'POST', path: `${address}/links`, says: 'The issues are linked.' }),
  unlink: (id) =>
    asks({ method: 'DELETE', path: `${address}${path`/links/${id}`}`, says: 'The link is removed.' }),
})

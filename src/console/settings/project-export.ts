import type { Static } from 'typebox'
import type { ProjectExport } from '#code/exports/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { Forms } from '../frame/forms.ts'
import { pathIn } from '../frame/lists.ts'

const states: ReadonlyMap<string, string> = new Map([
  ['queued', 'The archive is being made. Load this page again in a moment.'],
  ['started', 'The archive is being made. Load this page again in a moment.'],
  ['regeneration_in_progress', 'A new archive is being made; the former one can still be downloaded.'],
])

/** The archive with which a project moves to another instance. */
export const projectExport = (
  forms: Forms,
  { export_status: status, _links: links }: Static<typeof ProjectExport>,
): Html =>
  html`<h2>Export</h2>
    <p class="quiet">
      An archive with everything in the project, confidential issues included. Another instance imports it.
    </p>
    ${states.has(status) && html`<p role="status">${states.get(status)}</p>`}
    ${links !== undefined && html`<p><a href="${pathIn(links.api_url)}" download>Download the archive</a></p>`}
    ${
      !states.has(status) &&
      forms.write({
        does: 'export',
        submit: links === undefined ? 'Make the archive' : 'Make it again',
        about: 'of the project',
        looks: 'secondary',
      })
    }`

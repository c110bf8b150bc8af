import type { FastifyRequest } from 'fastify'
import { mappedFields } from '#monitoring/alert-receiver/payload/fields.ts'
import { html, type Html } from '#platform/http/html.ts'
import { fieldWriterFor, type Problems } from '#platform/pages/forms.ts'
import { csrfField } from '#platform/pages/page.ts'
import { pageOf } from './page.ts'

interface MappingForm {
  readonly projectId: number
  readonly integration: { readonly id: number; readonly name: string }
  readonly problems: Problems
  /** The text of a field. */
  readonly value: (name: string) => string
}

/** The form that says where the fields of an alert stand in what a tool sends. */
export function mappingPage(
  req: FastifyRequest,
  { projectId, integration, problems, value }: MappingForm,
): Html {
  const field = fieldWriterFor(problems)
  const page = pageOf(projectId)
  return html`<p><a href="${page}">Alert integrations</a></p>
    <h1>Mapping of <bdi>${integration.name}</bdi></h1>
    <p>
      For each field, write paths such as <code>event.name</code> or <code>items[0].id</code>, one in a line.
      The first that leads to a value counts. Fields without a path are read as usual.
    </p>
    <form method="post" action="${`${page}/${integration.id}/mapping`}">
      ${csrfField(req)}
      ${field({
        name: 'sample_payload',
        label: 'Sample payload',
        hint: 'JSON as the tool sends it; of the metrics format one element of alerts. Each field must lead to something in it.',
        attributes: html`rows="10" spellcheck="false"`,
        lines: value('sample_payload'),
      })}
      ${mappedFields.map((name) =>
        field({
          name,
          label: labelOf(name),
          attributes: html`rows="2" spellcheck="false"`,
          lines: value(name),
        }),
      )}
      <button type="submit">Save the mapping</button>
    </form>`
}

/** `Start time` of `start_time`. */
const labelOf = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')

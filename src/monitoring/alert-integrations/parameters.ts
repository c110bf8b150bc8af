import { type TOptional, Type } from 'typebox'
import { mappedFields } from '#monitoring/alert-receiver/payload/fields.ts'
import { presetNames } from '#monitoring/alert-receiver/payload/presets.ts'
import { payloadKinds } from '#monitoring/alert-receiver/payload/report.ts'
import { pageParameters } from '#platform/http/order.ts'
import { ById, flag, integer, list, nullable, oneOf, rules, text } from '#platform/http/schema.ts'

/** Characters of a sample payload and of one that is sent to try an integration: what an alert may have. */
const MAX_PAYLOAD = 1_048_576

export const ByIntegration = Type.Object({
  ...ById.properties,
  integration_id: integer({ minimum: 1, description: 'The id of an integration.' }),
})
export const IntegrationPages = Type.Object(pageParameters)

/** Of a field of the mapping. */
export const MOST_PATHS = { count: 5, length: 500 }
const paths = list(text({ max: MOST_PATHS.length, filled: true }), { max: MOST_PATHS.count })
/** One list of paths for each field. */
const fields: Record<string, TOptional> = {}
for (const field of mappedFields) fields[field] = Type.Optional(paths)

const given = {
  active: Type.Optional(flag({ description: 'By default true.' })),
  preset: Type.Optional(
    nullable(oneOf(presetNames, { description: 'The program that sends, if its payloads are known.' })),
  ),
  mapping: Type.Optional(
    Type.Unsafe<Readonly<Record<string, readonly string[]>>>(
      Type.Object(fields, {
        description:
          'For each field a list of paths such as `event.name` or `items[0].id`; the first that leads to a value counts. Needs Premium.',
      }),
    ),
  ),
  sample_payload: Type.Optional(
    nullable(
      text({
        max: MAX_PAYLOAD,
        description:
          'A payload as JSON; for the metrics format one element of `alerts`. Paths of the mapping must lead to something in it.',
      }),
    ),
  ),
}
const name = text({ filled: true, description: 'It is a part of the URL.' })

export const NewIntegration = Type.Object({
  name,
  type: Type.Optional(
    oneOf(payloadKinds, {
      description:
        'By default `generic`. One of type `prometheus` refuses payloads that are not of the metrics format.',
    }),
  ),
  ...given,
})

export const IntegrationChanges = Type.Object(
  { name: Type.Optional(name), ...given },
  rules({ atLeastOneOf: ['name', 'active', 'preset', 'mapping', 'sample_payload'] }),
)

/** What the page of a project takes. */
export const OfProject = Type.Object({ id: integer({ minimum: 1 }) })
export const OneIntegration = Type.Object({
  ...OfProject.properties,
  integration_id: integer({ minimum: 1 }),
})

/** Paths of each field, one in a line. */
const lines: Record<string, ReturnType<typeof text>> = {}
for (const field of mappedFields) lines[field] = text({ max: MOST_PATHS.count * (MOST_PATHS.length + 2) })
export const MappingForm = Type.Unsafe<
  Readonly<Record<string, string>> & { readonly sample_payload: string }
>(Type.Object({ sample_payload: text({ max: MAX_PAYLOAD }), ...lines }))

const settings = {
  create_incident: flag({ description: 'Whether each alert becomes an incident.' }),
  incident_template: nullable(
    text({
      description:
        'The name of a template in `.gitlab/issue_templates` of the repository, without `.md`. Its text follows what is known of the alert.',
    }),
  ),
  send_email: flag({ description: 'Whether mails tell of alerts.' }),
  auto_close_incident: flag({
    description:
      'Whether the incident of an alert is closed when the monitoring tool says that the alert is over.',
  }),
  external_on_call: flag({
    description: 'Whether another product is on call. Then no integration is active.',
  }),
}

export const AlertSettingsChanges = Type.Object(
  {
    create_incident: Type.Optional(settings.create_incident),
    incident_template: Type.Optional(settings.incident_template),
    send_email: Type.Optional(settings.send_email),
    auto_close_incident: Type.Optional(settings.auto_close_incident),
    external_on_call: Type.Optional(settings.external_on_call),
  },
  rules({ atLeastOneOf: Object.keys(settings) }),
)

export { settings as alertSettingsProperties }

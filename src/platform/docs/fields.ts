import { isArray, isFile, isObject, type JsonSchema, typesOf } from '#platform/openapi/json-schema.ts'
import { html, type Html, type Part, prose } from '#platform/http/html.ts'
import { SCHEMAS } from './layout.ts'

/** One line of a table of parameters or fields. */
interface Field {
  readonly name: string
  readonly schema: JsonSchema
  readonly note?: string
}

/** A table of fields. Nested records follow under dotted names; components link to their own table. */
export function fieldTable(caption: string, fields: readonly Field[]): Html {
  return html`<div class="table">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">Description</th>
        </tr>
      </thead>
      <tbody>
        ${fields.map(
          ({ name, schema, note }) =>
            html` <tr>
              <th scope="row"><code>${name}</code>${note && html` <small>${note}</small>`}</th>
              <td>${typeOf(schema)}</td>
              <td>${about(schema)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** The fields of an object, including those of nested records. */
export function fieldsOfSchema(
  schema: JsonSchema,
  options: { readonly required?: boolean } = {},
  prefix = '',
): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const full = prefix + name
    const inner = isArray(property) ? (property.items ?? {}) : property
    const nested =
      inner.properties === undefined
        ? []
        : fieldsOfSchema(inner, {}, `${full}${isArray(property) ? '[]' : ''}.`)
    const isRequired = schema.required?.includes(name) ?? false
    const note = options.required
      ? isRequired
        ? 'required'
        : undefined
      : isRequired
        ? undefined
        : 'not always'
    return [{ name: full, schema: property, ...(note === undefined ? {} : { note }) }, ...nested]
  })
}

/** `array of ProjectLabel`, `string or null`, `integer`. */
export function typeOf(schema: JsonSchema): Html {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
    return html`<a href="${SCHEMAS}#schema-${name}">${name}</a>`
  }
  if (schema.anyOf) {
    return html`${schema.anyOf.map((one, index) => [index > 0 && ' or ', typeOf(one)])}`
  }
  const names = typesOf(schema).map((type) => typeNameOf(type, schema))
  return html`${names.map((name, index) => [index > 0 && ' or ', name])}`
}

function typeNameOf(type: string, schema: JsonSchema): Part {
  if (type === 'array') return html`array of ${typeOf(schema.items ?? {})}`
  if (type !== 'string') return type
  const formats: Readonly<Record<string, string>> = { date: 'date', 'date-time': 'datetime', binary: 'file' }
  return formats[schema.format ?? ''] ?? type
}

function about(schema: JsonSchema): Html {
  const { description, deprecated, minimum, maximum } = schema
  // The type says whether null is one of them.
  const values = (schema.enum ?? (isArray(schema) ? schema.items?.enum : undefined))?.filter(
    (value) => value !== null,
  )
  const range =
    schema.enum === undefined && minimum !== undefined && (maximum ?? Infinity) < 1_000_000
      ? `From ${minimum} to ${maximum}.`
      : undefined
  const parts: Part[] = [
    deprecated && html`<strong class="mark deprecated">deprecated</strong>`,
    description && prose(description),
    values && html`One of ${values.map((value, index) => [index > 0 && ', ', html`<code>${value}</code>`])}.`,
    range,
    most(schema),
    schema.default !== undefined && html`Default <code>${JSON.stringify(schema.default)}</code>.`,
  ]
  return html`${parts.filter(Boolean).map((part, index) => [index > 0 && ' ', part])}`
}

/** The maximum of a schema, as a sentence. */
function most(schema: JsonSchema): string | undefined {
  const { maxLength, maxItems, maxProperties } = schema
  const say = (count: number | undefined, of: string) =>
    count === undefined ? undefined : `At most ${count.toLocaleString('en')} ${of}.`
  return (
    say(maxLength, isFile(schema) ? 'bytes' : 'characters') ??
    say(maxItems, 'elements') ??
    say(maxProperties, 'keys')
  )
}

export function isRecord(schema: JsonSchema): boolean {
  return isObject(schema) && schema.properties !== undefined
}

import { defined } from '#platform/defined.ts'
import type { Tier } from '#platform/access/route-access.ts'
import type { Answer } from '#platform/openapi/answers.ts'
import type { OpenApi } from '#platform/openapi/document.ts'
import type { Operation } from '#platform/openapi/operation.ts'
import { withoutReferences } from '#platform/openapi/repeated.ts'
import type { JsonSchema } from '#platform/openapi/json-schema.ts'
import { curlFor } from './example.ts'
import { fieldsOfSchema, fieldTable, isRecord, typeOf } from './fields.ts'
import { DOCS } from './layout.ts'
import { html, type Html, prose } from '#platform/http/html.ts'

/** An endpoint with its position in the document. */
export interface Endpoint {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

export function endpointsOf(document: OpenApi): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method,
      path,
      operation: withoutReferences(operation, document.components),
    })),
  )
}

/** One endpoint, folded to its summary line. Browsers unfold it for links, because link targets are inside. */
export function endpointSection({ method, path, operation }: Endpoint, document: OpenApi): Html {
  const { operationId, summary, description, deprecated } = operation
  const resolve = resolver(document)
  return html` <details class="endpoint">
    <summary>
      <h3>
        <span class="method ${method}">${method.toUpperCase()}</span> <code>${broken(path)}</code>
        <span class="summary">${summary}</span
        >${deprecated && html` <span class="mark deprecated">deprecated</span>`}${
          operation['x-beta'] && html` <span class="mark">beta</span>`
        }${operation['x-tier'] && html` <span class="mark">${markOf(operation['x-tier'])}</span>`}
      </h3>
    </summary>
    <div class="body" id="${operationId}">
      <p>${prose(description)}</p>
      ${parametersOf(operation)} ${bodyOf(operation, resolve)} ${answersOf(operation, resolve)}
      <h4>Example</h4>
      <pre tabindex="0"><code>${curlFor(method, path, operation, resolve)}</code></pre>
    </div>
  </details>`
}

/** `premium`; `premium (hosted)` when only some offerings need it; and the offerings if only some have the area. */
function markOf({ plan, planOn, offerings = [] }: Tier): string {
  const needed = planOn === undefined ? plan : `${plan} (${planOn.join(', ')})`
  return [...(plan === 'free' ? [] : [needed]), ...offerings].join(', ')
}

/** Returns a function that follows a reference to a component. */
function resolver({ components }: OpenApi): (schema: JsonSchema) => JsonSchema {
  return (schema) =>
    schema.$ref === undefined
      ? schema
      : (components.schemas[schema.$ref.slice('#/components/schemas/'.length)] ?? schema)
}

/** Lets a long path break at its slashes. */
export function broken(path: string): Html {
  return html`${path.split('/').map((segment, index) => [index > 0 && html`/<wbr />`, segment])}`
}

function parametersOf({ parameters = [] }: Operation): Html {
  return html`${(['path', 'query'] as const).map((where) => {
    const here = parameters.filter((one) => one.in === where)
    if (here.length === 0) return undefined
    const fields = here.map(({ name, schema, content, description, deprecated, required }) => ({
      name,
      schema: {
        ...(schema ?? content?.['application/json']?.schema),
        ...defined({ description, deprecated }),
      },
      ...(required && where === 'query' ? { note: 'required' } : {}),
    }))
    return fieldTable(where === 'path' ? 'In the path' : 'Parameters', fields)
  })}`
}

function bodyOf({ requestBody }: Operation, resolve: (schema: JsonSchema) => JsonSchema): Html {
  if (requestBody === undefined) return html``
  const [media] = Object.values(requestBody.content)
  const kinds = Object.keys(requestBody.content)
  return html`${media && fieldTable('Body', fieldsOfSchema(resolve(media.schema), { required: true }))}
    <p class="quiet">
      ${prose(requestBody.description)} As
      ${kinds.map((kind, index) => [index > 0 && ' or ', html`<code>${kind}</code>`])}.
    </p>`
}

function answersOf({ responses }: Operation, resolve: (schema: JsonSchema) => JsonSchema): Html {
  const all = Object.entries(responses)
  const own = all.flatMap(([status, answer]) => ('$ref' in answer ? [] : [[status, answer] as const]))
  const shared = all.flatMap(([status, answer]) => ('$ref' in answer ? [[status, answer.$ref] as const] : []))
  return html`<h4>Answers</h4>
    ${own.map(([status, answer]) => answerOf(status, answer, resolve))}
    <p class="quiet">
      Refusals:
      ${shared.map(([status, reference], index) => [
        index > 0 && ', ',
        html`<a href="${DOCS}#answer-${reference.slice(reference.lastIndexOf('/') + 1)}">${status}</a>`,
      ])}.
    </p>`
}

function answerOf(status: string, answer: Answer, resolve: (schema: JsonSchema) => JsonSchema): Html {
  const [media] = Object.values(answer.content ?? {})
  const schema = media?.schema
  const element = schema && resolve(schema.items ?? schema)
  const headers = Object.keys(answer.headers ?? {})
  return html`<p>
      <strong class="status">${status}</strong> ${prose(answer.description)}${
        schema && html` Type: ${typeOf(schema)}.`
      }${
        headers.length > 0 &&
        html` Headers:
        ${headers.map((name, index) => [
          index > 0 && ', ',
          html`<a href="${DOCS}#header-${name}"><code>${name}</code></a>`,
        ])}.`
      }
    </p>
    ${element && isRecord(element) && fieldTable(`Fields of the answer ${status}`, fieldsOfSchema(element))}`
}

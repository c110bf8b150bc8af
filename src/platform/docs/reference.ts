import { headers, sharedAnswers } from '#platform/openapi/answers.ts'
import type { OpenApi } from '#platform/openapi/document.ts'
import { isBody } from '#platform/openapi/repeated.ts'
import { html, type Html, prose } from '#platform/http/html.ts'
import { broken, type Endpoint, endpointsOf, endpointSection } from './endpoint.ts'
import { fieldsOfSchema, fieldTable } from './fields.ts'
import { type Guide, listOfGuides } from './guides.ts'
import { DOCS, page, SCHEMAS } from './layout.ts'
import { type SearchableEndpoint, searchIn } from './search.ts'

/** The reference as pages: an index of all endpoints, a page for each area, and one for the schemas. */
export interface Reference {
  readonly index: string
  /** The other pages, by the last segment of their path. */
  readonly pages: ReadonlyMap<string, string>
  /** A page of the endpoints that have all words of a text. */
  readonly search: (text: string) => string
}

interface Area {
  readonly name: string
  readonly description: string
  /** The last segment of its page's path. */
  readonly slug: string
  readonly endpoints: readonly Endpoint[]
}

/** Makes the reference from the OpenAPI document alone. It keeps what it needs of it, not the document. */
export function referenceOf(document: OpenApi, guides: readonly Guide[] = []): Reference {
  const areas = areasOf(document)
  return {
    index: indexPage(document, areas, guides),
    pages: pagesOf(document, areas),
    search: searchPage(document, areas),
  }
}

function indexPage(document: OpenApi, areas: readonly Area[], guides: readonly Guide[]): string {
  return page(document.info, { navigation: navigation(areas), content: indexOf(document, areas, guides) })
}

function pagesOf(document: OpenApi, areas: readonly Area[]): Map<string, string> {
  const pages = areas.map((area) => {
    const content = areaOf(area, document)
    const text = page(document.info, { title: area.name, navigation: navigation(areas, area), content })
    return [area.slug, text] as const
  })
  const schemas = { title: 'Schemas', navigation: navigation(areas), content: schemasOf(document) }
  return new Map([...pages, [SCHEMAS.slice(DOCS.length + 1), page(document.info, schemas)]])
}

function searchPage({ info }: OpenApi, areas: readonly Area[]): Reference['search'] {
  const find = searchIn(
    areas.flatMap(({ name, endpoints, slug }) =>
      endpoints.map((endpoint) => ({ ...endpoint, area: name, link: linkTo(slug, endpoint) })),
    ),
  )
  const inAreas = navigation(areas)
  return (sought) =>
    page(info, { title: sought, navigation: inAreas, content: resultsOf(find(sought), info), sought })
}

function areasOf(document: OpenApi): Area[] {
  const endpoints = endpointsOf(document)
  return document.tags.map(({ name, description }) => ({
    name,
    description,
    slug: name.toLowerCase().replace(/\W+/g, '-'),
    endpoints: endpoints
      .filter(({ operation }) => operation.tags.includes(name))
      .toSorted((one, other) => Number(isOfEvents(one)) - Number(isOfEvents(other))),
  }))
}

/** What happened to a resource is of use to who knows the resource. */
const isOfEvents = ({ path }: Endpoint): boolean => /\/resource_\w+_events(?:\/|$)/.test(path)

const linkTo = (slug: string, { operation }: Endpoint): string => `${DOCS}/${slug}#${operation.operationId}`

function navigation(areas: readonly Area[], current?: Area): Html {
  return html`<ul>
      ${areas.map(
        (area) =>
          html`<li>
            <a href="${DOCS}/${area.slug}" ${area === current && html` aria-current="page"`}>${area.name}</a>
            ${
              area === current &&
              html`<ul>
                ${area.endpoints.map((endpoint) => html`<li>${line(endpoint, `#${endpoint.operation.operationId}`)}</li> `)}
              </ul>`
            }
          </li> `,
      )}
    </ul>
    <ul class="plain">
      <li><a href="${SCHEMAS}">Schemas</a></li>
      <li><a href="${DOCS}#refusals">Refusals</a></li>
      <li><a href="${DOCS}#headers">Headers</a></li>
    </ul>`
}

function line({ method, path, operation }: Endpoint, link: string): Html {
  return html`<a href="${link}"
    ><span class="method ${method}">${method.toUpperCase()}</span>
    <span>${operation.summary}<small>${broken(path)}</small></span></a
  >`
}

function indexOf(document: OpenApi, areas: readonly Area[], guides: readonly Guide[]): Html {
  return html`<h1>${document.info.title} API</h1>
    ${document.info.description.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
    <p>
      The examples take the address of the server from <code>FORGELET</code> and an access token from
      <code>TOKEN</code>.
    </p>
    ${guides.length > 0 && listOfGuides(guides)}
    ${areas.map(
      ({ name, slug, description, endpoints }) =>
        html` <section aria-labelledby="${slug}">
          <h2 id="${slug}"><a href="${DOCS}/${slug}">${name}</a></h2>
          <p>${prose(description)}</p>
          <ul class="lines">
            ${endpoints.map(
              (endpoint) =>
                html`<li id="${endpoint.operation.operationId}">
                  ${line(endpoint, linkTo(slug, endpoint))}
                </li> `,
            )}
          </ul>
        </section>`,
    )}
    ${refusalList()} ${headerList()}`
}

function areaOf({ name, slug, description, endpoints }: Area, document: OpenApi): Html {
  return html` <h1 id="${slug}">${name}</h1>
    <p>${prose(description)}</p>
    ${endpoints.map((endpoint) => endpointSection(endpoint, document))}`
}

function resultsOf(found: readonly SearchableEndpoint[], { title }: OpenApi['info']): Html {
  const count = found.length === 1 ? '1 endpoint' : `${found.length} endpoints`
  return html`<h1>${count} found</h1>
    ${found.length === 0 && html`<p>No endpoint of the ${title} API has all of these words.</p>`}
    <ul class="lines">
      ${found.map((endpoint) => html`<li>${line(endpoint, endpoint.link)}</li> `)}
    </ul>`
}

function schemasOf({ components }: OpenApi): Html {
  return html`<h1>Schemas</h1>
    ${Object.entries(components.schemas)
      .filter(([name]) => !isBody(name))
      .map(
        ([name, schema]) =>
          html` <details class="endpoint">
            <summary>
              <h3><code>${name}</code></h3>
            </summary>
            <div class="body" id="schema-${name}">
              ${schema.description && html`<p>${prose(schema.description)}</p>`}
              ${fieldTable(`Fields of ${name}`, fieldsOfSchema(schema))}
            </div>
          </details>`,
      )}`
}

function refusalList(): Html {
  return html` <section aria-labelledby="refusals">
    <h2 id="refusals">Refusals</h2>
    <p>
      Their body is an <a href="${SCHEMAS}#schema-Error"><code>Error</code></a> unless it is said otherwise.
    </p>
    <dl>
      ${Object.entries(sharedAnswers).map(
        ([name, answer]) =>
          html`<dt id="answer-${name}">${name}</dt>
            <dd>${prose(answer.description)}</dd> `,
      )}
    </dl>
  </section>`
}

function headerList(): Html {
  return html` <section aria-labelledby="headers">
    <h2 id="headers">Headers</h2>
    <dl>
      ${Object.entries(headers).map(
        ([name, header]) =>
          html`<dt id="header-${name}"><code>${name}</code></dt>
            <dd>${prose(header.description)}</dd> `,
      )}
    </dl>
  </section>`
}

import { headers } from '#platform/openapi/answers.ts'
import type { OpenApi } from '#platform/openapi/document.ts'
import { broken, type Endpoint, endpointsOf, endpointSection } from './endpoint.ts'
import { fieldsOf, fieldTable } from './fields.ts'
import { html, type Html, prose } from '#platform/http/html.ts'

/** The path of the stylesheet; the page loads nothing else. */
export const STYLESHEET = '/-/docs.css'

/** The API reference as one page, made from the OpenAPI document alone. */
export function referencePage(document: OpenApi): string {
  const endpoints = endpointsOf(document)
  const areas = document.tags.map((tag) => ({
    ...tag,
    anchor: tag.name.toLowerCase().replace(/\W+/g, '-'),
    endpoints: endpoints.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${document.info.title} API reference</title>
        <link rel="stylesheet" href="${STYLESHEET}" />
      </head>
      <body>
        <a class="skip" href="#content">Skip to the endpoints</a>
        <header>
          <p class="brand">
            ${document.info.title} <span class="quiet">API reference ${document.info.version}</span>
          </p>
          <a href="/api/v4/openapi.json">openapi.json</a>
        </header>
        <div class="columns">
          <nav aria-label="Endpoints">
            ${areas.map(
              (area) =>
                html`<details>
                  <summary>${area.name} <small>${area.endpoints.length}</small></summary>
                  <ul>
                    <li><a href="#${area.anchor}">Overview</a></li>
                    ${area.endpoints.map(link)}
                  </ul>
                </details>`,
            )}
            <ul class="plain">
              <li><a href="#schemas">Schemas</a></li>
              <li><a href="#refusals">Refusals</a></li>
              <li><a href="#headers">Headers</a></li>
            </ul>
          </nav>
          <main id="content" tabindex="-1">
            <h1>${document.info.title} API</h1>
            ${document.info.description.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
            <p>
              The examples take the address of the server from <code>FORGELET</code> and an access token from
              <code>TOKEN</code>.
            </p>
            ${areas.map(
              (area) =>
                html` <section aria-labelledby="${area.anchor}">
                  <h2 id="${area.anchor}">${area.name}</h2>
                  <p>${prose(area.description)}</p>
                  ${area.endpoints.map((endpoint) => endpointSection(endpoint, document))}
                </section>`,
            )}
            ${schemasOf(document)} ${refusalsOf(document)} ${headerList()}
          </main>
        </div>
      </body>
    </html> `.text
}

function link({ method, path, operation }: Endpoint): Html {
  return html`<li>
    <a href="#${operation.operationId}"
      ><span class="method ${method}">${method.toUpperCase()}</span>
      <span>${operation.summary}<small>${broken(path)}</small></span></a
    >
  </li> `
}

function schemasOf({ components }: OpenApi): Html {
  return html` <section aria-labelledby="schemas">
    <h2 id="schemas">Schemas</h2>
    ${Object.entries(components.schemas).map(
      ([name, schema]) =>
        html` <details class="endpoint">
          <summary>
            <h3><code>${name}</code></h3>
          </summary>
          <div class="body" id="schema-${name}">
            ${schema.description && html`<p>${prose(schema.description)}</p>`}
            ${fieldTable(`Fields of ${name}`, fieldsOf(schema))}
          </div>
        </details>`,
    )}
  </section>`
}

function refusalsOf({ components }: OpenApi): Html {
  return html` <section aria-labelledby="refusals">
    <h2 id="refusals">Refusals</h2>
    <p>
      Their body is an <a href="#schema-Error"><code>Error</code></a> unless it is said otherwise.
    </p>
    <dl>
      ${Object.entries(components.responses).map(
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

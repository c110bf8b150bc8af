import type { OpenApi } from '#platform/openapi/document.ts'
import { html, type Html } from '#platform/http/html.ts'

/** The path of the reference, of its stylesheet, and of what describes more than one area. */
export const DOCS = '/-/docs'
export const STYLESHEET = '/-/docs.css'
export const SCHEMAS = `${DOCS}/schemas`
export const GUIDES = `${DOCS}/guides`

/** The longest text that is searched for. */
export const LONGEST_SEARCH = 255

export interface Page {
  readonly title?: string
  readonly navigation: Html
  readonly content: Html
  /** What was searched for. */
  readonly sought?: string
}

/** A page of the reference. It loads nothing but the stylesheet; searching is a request. */
export function page(info: OpenApi['info'], { title, navigation, content, sought = '' }: Page): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title && `${title} · `}${info.title} API reference</title>
        <link rel="stylesheet" href="${STYLESHEET}" />
      </head>
      <body>
        <a class="skip" href="#content">Skip to the endpoints</a>
        <header>
          <p class="brand">
            <a href="${DOCS}">${info.title}</a> <span class="quiet">API reference ${info.version}</span>
          </p>
          <form role="search" action="${DOCS}">
            <label for="q">Search</label>
            <input id="q" type="search" name="q" value="${sought}" maxlength="${LONGEST_SEARCH}" />
            <button>Find</button>
          </form>
          <a href="${DOCS}#guides">Guides</a>
          <a href="/api/v4/openapi.json">openapi.json</a>
        </header>
        <div class="columns">
          <nav aria-label="Endpoints">${navigation}</nav>
          <main id="content" tabindex="-1">${content}</main>
        </div>
      </body>
    </html> `.text
}

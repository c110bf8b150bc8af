import { type Html, html } from '#platform/http/html.ts'

/** A page that a header leads to. */
export interface PlacePage {
  readonly title: string
  readonly address: string
}

/** Pages that belong together. An area in which the visitor may see nothing has none. */
export interface Area {
  readonly title: string
  readonly parts: readonly PlacePage[]
}

/**
 * The header of the pages of a project or group: where one is, its areas, and the pages of the area that one is in.
 * @param name of the project or group
 * @param here the title of the page
 */
export function placeHeader(name: string, where: Html, areas: readonly Area[], here: string): Html {
  const offered = areas.filter(({ parts }) => parts.length > 0)
  const isHere = ({ title }: PlacePage) => title === here
  const around = offered.find(({ parts }) => parts.some(isHere))
  return html`<div class="place">
    <nav class="where" aria-label="Where you are">${where}</nav>
    <nav class="tabs" aria-label="${name}">
      ${offered.map(({ title, parts: [first] }) => tab(title, first?.address ?? '', title === around?.title && 'true'))}
    </nav>
    ${
      around !== undefined &&
      around.parts.length > 1 &&
      html`<nav class="parts" aria-label="${around.title}">
        ${around.parts.map((part) => tab(part.title, part.address, isHere(part) && 'page'))}
      </nav>`
    }
  </div>`
}

const tab = (title: string, address: string, current: 'page' | 'true' | false): Html =>
  html`<a href="${address}" ${current !== false && html`aria-current="${current}"`}>${title}</a>`

/** Links to the groups around something: `a / b /`. */
export function namespaceLinks(fullPath: string): readonly Html[] {
  const names = fullPath.split('/')
  return names.map(
    (name, index) => html`<a href="/${names.slice(0, index + 1).join('/')}">${name}</a> <span>/</span> `,
  )
}

/** What follows the path of a project or group in an address: which page, and its query. */
export const behindPath = (url: string): string =>
  /^[^?]*?((?:\/-(?:\/[^?]*)?)?(?:\?.*)?)$/s.exec(url)?.[1] ?? ''

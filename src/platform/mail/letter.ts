import { html } from '#platform/http/html.ts'

/** A short mail: sentences, perhaps a link, and why it came. */
export interface Letter {
  readonly subject: string
  readonly lines: readonly string[]
  readonly link?: { readonly title: string; readonly url: string }
  /** Said below the link. */
  readonly after?: readonly string[]
}

/** Writes a short mail as text and as HTML. */
export function letter({ subject, lines, link, after = [] }: Letter): {
  readonly subject: string
  readonly text: string
  readonly html: string
} {
  const parts = [...lines, ...(link === undefined ? [] : [`${link.title}:\n${link.url}`]), ...after]
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${subject}</title>
      </head>
      <body>
        ${lines.map((line) => html`<p>${line}</p>`)}
        ${link !== undefined && html`<p><a href="${link.url}">${link.title}</a></p>`}
        ${after.map((line) => html`<p>${line}</p>`)}
      </body>
    </html>`
  return { subject, text: `${parts.join('\n\n')}\n`, html: page.text }
}

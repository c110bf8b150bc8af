import { type Html, html } from '#platform/http/html.ts'
import { iso } from '#platform/http/time.ts'

/** A moment from the database, to the minute: `2026-11-21 14:39 UTC`. */
export function momentAsHtml(timestamp: string): Html {
  const moment = iso(timestamp)
  return html`<time datetime="${moment}">${moment.slice(0, 16).replace('T', ' ')} UTC</time>`
}

export function dayAsHtml(day: string): Html {
  return html`<time datetime="${day}">${day}</time>`
}

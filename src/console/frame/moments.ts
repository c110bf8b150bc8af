import { type Html, html } from '#platform/http/html.ts'

/** A moment of the API, to the minute. A script turns it into how long ago that was. */
export const since = (moment: string): Html =>
  html`<time datetime="${moment}">${moment.slice(0, 16).replace('T', ' ')} UTC</time>`

import { type Html, html } from '#platform/http/html.ts'

/** A moment of the API, to the minute. A script says it in the zone of the reader. */
export const since = (moment: string): Html =>
  html`<time datetime="${moment}">${inUtc(moment).slice(0, 16).replace('T', ' ')} UTC</time>`

/** Commits say the time of the zone in which they were written. Those at the end of time have none in UTC. */
function inUtc(moment: string): string {
  const at = new Date(moment)
  return Number.isNaN(at.getTime()) ? moment : at.toISOString()
}

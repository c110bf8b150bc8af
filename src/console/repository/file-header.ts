import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { pageOf, slashed } from '../frame/project.ts'
import type { Place } from './references.ts'

/** The ways to look at a file, with how their addresses begin. */
const ways = { File: 'blob', Blame: 'blame', History: 'commits', Raw: 'raw' } as const
export type Way = keyof typeof ways

/**
 * Links to the other ways to look at a file.
 * @param commit the id of the commit that the reference names now: an address with it always shows the same
 */
export function fileLinks(
  project: EitherProject,
  { ref, path }: Place,
  here: Way,
  commit: string | undefined,
): Html {
  const addressOf = (way: Way, reference: string) =>
    pageOf(project, `${ways[way]}/${slashed(reference)}/${slashed(path)}`)
  return html`<nav class="tabs" aria-label="The file">
    ${Object.keys(ways)
      .filter((way): way is Way => way in ways)
      .map(
        (way) =>
          html`<a href="${addressOf(way, ref)}" ${way === here && html`aria-current="page"`}>${way}</a>`,
      )}
    ${commit !== undefined && commit !== ref && html`<a href="${addressOf(here, commit)}" title="An address that always shows this version">Permalink</a>`}
  </nav>`
}

import { BlameRangeEntity } from '#code/files/entity.ts'
import { html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { otherPages } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { pageOf, projectHeader, slashed } from '../frame/project.ts'
import type { View } from '../frame/show.ts'
import { fileLinks } from './file-header.ts'
import type { Place } from './references.ts'
import { pathLinks } from './tree-page.ts'

/** Neighbouring lines of one commit that a page shows. */
const PER_PAGE = 100
/** Characters of one line. */
const MOST_CHARACTERS = 2_000

/** Which commit each line of a file comes from; undefined where there is no such file. */
export async function blamePage(
  api: Api,
  project: EitherProject,
  place: Place,
  page: number,
): Promise<View | undefined> {
  const address = path`/projects/${project.id}/repository/files/${place.path}`
  const [head, ranges] = await Promise.all([
    api.findHead(address, { ref: place.ref }),
    api.findList(BlameRangeEntity, `${address}/blame`, { ref: place.ref, page, per_page: PER_PAGE }),
  ])
  if (ranges === undefined || head === undefined) return undefined
  const here = pageOf(project, `blame/${slashed(place.ref)}/${slashed(place.path)}`)
  return {
    title: `${place.path} · Blame · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Files'),
    body: html`<h1 class="path">${pathLinks(project, place.ref, place.path)}</h1>
      ${fileLinks(project, place, 'Blame', head.get('x-gitlab-commit-id'))}
      <section class="file" aria-label="${place.path}">
        <table class="blame">
          <thead class="unseen">
            <tr>
              <th scope="col">Commit</th>
              <th scope="col">Lines</th>
            </tr>
          </thead>
          <tbody>
            ${ranges.items.map(
              ({ commit, lines }) =>
                html`<tr>
                  <td>
                    <a href="${pageOf(project, `commit/${commit.id}`)}">${commit.title}</a>
                    <p class="quiet">${commit.author_name} · ${since(commit.committed_date)}</p>
                  </td>
                  <td><pre>${lines.map((line) => `${line.slice(0, MOST_CHARACTERS)}\n`)}</pre></td>
                </tr>`,
            )}
          </tbody>
        </table>
      </section>
      ${otherPages(ranges, page, here, {})}`,
  }
}

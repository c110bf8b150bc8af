import type { Static } from 'typebox'
import type { Release } from '#delivery/releases/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { pathIn } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'
import { pageOf, slashed } from '../frame/project.ts'
import { facts } from '../items/facts.ts'

export type ShownRelease = Static<typeof Release>

/** What is known of a release, what is new in it, and where to get it. @param notes as HTML; undefined where there are none */
export const releaseParts = (project: EitherProject, release: ShownRelease, notes: Html | undefined): Html =>
  html`${releaseFacts(project, release)} ${notes !== undefined && html`<div class="text">${notes}</div>`}
  ${assets(release)}`

function releaseFacts(project: EitherProject, release: ShownRelease): Html | undefined {
  const { tag_name: tag, commit, author, milestones = [], evidences = [] } = release
  return facts([
    [
      'Tag',
      tag === undefined
        ? undefined
        : html`<a href="${pageOf(project, `tree/${slashed(tag)}`)}"><code>${tag}</code></a>`,
    ],
    [
      'Commit',
      commit === undefined || commit === null
        ? undefined
        : html`<a href="${pageOf(project, `commit/${commit.id}`)}"><code>${commit.short_id}</code></a>`,
    ],
    [release.upcoming_release ? 'Planned for' : 'Released', since(release.released_at)],
    ['By', author === null ? undefined : person(author)],
    [
      'Milestones',
      milestones.length === 0
        ? undefined
        : html`${milestones.map(({ title, web_url }) => html`<a href="${pathIn(web_url)}">${title}</a> `)}`,
    ],
    [
      'Evidence',
      evidences.length === 0
        ? undefined
        : html`${evidences.map(
            ({ sha, filepath, collected_at }) =>
              html`<a href="${pathIn(filepath)}" title="SHA-256 ${sha}"><code>${sha.slice(0, 8)}</code></a>
                ${since(collected_at)} `,
          )}`,
    ],
  ])
}

function assets({ assets: { links, sources = [] } }: ShownRelease): Html | undefined {
  if (links.length === 0 && sources.length === 0) return undefined
  return html`<details class="assets" open>
    <summary>Assets <span class="count">${links.length + sources.length}</span></summary>
    <ul>
      ${links.map(
        ({ name, direct_asset_url, link_type }) =>
          html`<li>
            <a href="${direct_asset_url}" rel="nofollow noopener">${name}</a>
            ${link_type !== 'other' && html`<span class="badge">${link_type}</span>`}
          </li>`,
      )}
      ${sources.map(
        ({ format, url }) =>
          html`<li><a href="${pathIn(url)}" rel="nofollow">Source code (${format})</a></li>`,
      )}
    </ul>
  </details>`
}

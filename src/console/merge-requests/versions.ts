import type { Static } from 'typebox'
import { DiffEntity } from '#code/commits/diff-entity.ts'
import { Version, VersionWithDiffs } from '#code/merge-requests/diffs/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { Api, List } from '../frame/api.ts'
import { addressOf } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import type { Compared } from './line-threads.ts'
import { FILES } from './review-actions.ts'

type Versions = List<Static<typeof Version>>

/** Versions that are offered: the newest. */
const MOST = 20

interface ChangedFiles {
  readonly list: List<Static<typeof DiffEntity>>
  /** The commits that a version compares; undefined for those of the merge request as it is. */
  readonly compared: Compared | undefined
}

/** A page of the files that a merge request changes, as it is or as it was in one of its versions. @param address in the API */
export async function changedFiles(
  api: Api,
  address: string,
  { version, page }: { readonly version: number | undefined; readonly page: number },
): Promise<ChangedFiles> {
  if (version === undefined)
    return {
      list: await api.list(DiffEntity, `${address}/diffs`, { page, per_page: FILES }),
      compared: undefined,
    }
  const one = await api.get(VersionWithDiffs, `${address}/versions/${version}`)
  const { diffs, base_commit_sha: base_sha, head_commit_sha: head_sha } = one
  const end = page * FILES
  return {
    list: {
      items: diffs.slice(end - FILES, end),
      total: diffs.length,
      next: end < diffs.length ? page + 1 : undefined,
    },
    compared: { base_sha, head_sha },
  }
}

/** The versions of a merge request, the newest first. There is one for each push. */
export const versionsOf = (api: Api, address: string): Promise<Versions> =>
  api.list(Version, `${address}/versions`, { per_page: MOST })

/** Links to the versions; undefined where there is one alone. @param here the address of the page */
export function versionLinks(
  { items, total = items.length, next }: Versions,
  here: string,
  chosen: number | undefined,
): Html | undefined {
  if (items.length < 2) return undefined
  const shown = chosen ?? items[0]?.id
  return html`<details class="others">
    <summary>
      ${chosen === undefined || chosen === items[0]?.id ? 'Latest version' : 'An earlier version: comments stand on the latest one'}
    </summary>
    <ul>
      ${items.map(
        ({ id, head_commit_sha: sha, created_at }, index) =>
          html`<li>
            <a
              href="${addressOf(here, { version: index === 0 ? undefined : id })}"
              ${id === shown && html`aria-current="true"`}
              >Version ${total - index}</a
            >
            <code>${sha.slice(0, 8)}</code> · ${since(created_at)}
          </li>`,
      )}
    </ul>
    ${next !== undefined && html`<p class="quiet">The last ${MOST} are shown.</p>`}
  </details>`
}

import type { Static } from 'typebox'
import type { MergeRequestSingle } from '#code/merge-requests/entity.ts'
import { UserPreferences } from '#identity/users/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { path } from '../frame/api.ts'
import { addressOf, otherPages } from '../frame/lists.ts'
import { pageOf } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import { Talk } from '../items/talk.ts'
import { shownDiffs } from '../repository/diffs.ts'
import { chosenLine } from './chosen-lines.ts'
import { atLines, threadsAsSaid, threadsOnDiffs } from './line-threads.ts'
import { mayApply, talkRights } from './may.ts'
import type { MergeRequestVisit, Part, Place } from './merge-request-visit.ts'
import { draftAtLine, draftList, draftReplies, draftsOn, formAtLine, lineForms, TO_TEXT } from './review.ts'
import { suggestionsOf, textOf } from './suggestions.ts'
import { changedFiles, versionLinks, versionsOf } from './versions.ts'

type MergeRequest = Static<typeof MergeRequestSingle>

/** What a merge request changes, with what was said of its lines, and forms to say more. */
export async function changesPart(
  { api, forms, request: page }: MergeRequestVisit,
  project: EitherProject,
  { address, here, page: number, note, view, file, version, w, ...chosen }: Place,
): Promise<Part> {
  const [{ list, compared }, versions, drafts, rights, prefers] = await Promise.all([
    changedFiles(api, address, { version, page: number }),
    versionsOf(api, address),
    draftsOn(api, address),
    rightsIn(api, path`/projects/${project.id}`),
    api.isForSomebody ? api.get(UserPreferences, '/user/preferences') : undefined,
  ])
  const me = page.identity?.user.id
  const place = { path: project.path_with_namespace }
  const shown = addressOf(here, { page: number === 1 ? undefined : number, view, file, version, w })
  const mayWrite = rights.may('create_merge_request_note')
  // Comments stand on the latest version.
  const mayComment = mayWrite && version === undefined
  return async (request) => {
    const talk = new Talk(
      forms,
      { ...talkRights(rights, request, me), mayWrite: mayComment },
      { here: addressOf(here, { view, file }), page: number, note, replies: draftReplies },
    )
    // Most have none, and need not be asked for them.
    const threads = request.user_notes_count > 0 ? await threadsOnDiffs(api, address) : undefined
    const applies = { request, mayApply: mayApply(rights, request, me) }
    const [texts, said] = await Promise.all([
      api.render(drafts?.items.map((draft) => draft.note) ?? [], place),
      threadsAsSaid(api, threads, {
        diffs: list.items,
        talk,
        of: { textOf, below: (one) => suggestionsOf(forms, one, applies) },
        ...place,
      }),
    ])
    const drafted = (drafts?.items ?? []).map((draft, index) => ({
      position: draft.discussion_id === null ? draft.position : undefined,
      shown: draftAtLine(draft, texts[index]),
    }))
    const below = atLines([...said, ...drafted], {
      diffs: list.items,
      compared: compared ?? request.diff_refs,
      overview: pageOf(project, `merge_requests/${request.iid}`),
    })
    const line = mayComment ? chosenLine(list.items, chosen) : undefined
    const form = line && formAtLine(forms, request, line, shown)
    const at = {
      link: mayComment ? linkAt(shown.slice(here.length)) : undefined,
      below: line && form ? new Map([...below, [line.key, [...(below.get(line.key) ?? []), form]]]) : below,
    }
    // Whoever sees one file at a time sees the one that they chose a line of.
    const chosenFile =
      line && prefers?.view_diffs_file_by_file === true
        ? list.items.findIndex(({ new_path }) => new_path === line.file) + 1
        : undefined
    const diffs = { here, page: number, view, file: file ?? chosenFile, version, w, prefers, at }
    return html`${mayWrite && drafts && draftList(forms, drafts, texts)}
    ${mayComment && line === undefined && lineForms(forms, request, list.items)}
    ${versionLinks(versions, here, version)}
    ${shownDiffs(list.items, { ...diffs, reviewed: `${project.id}!${request.iid}` })}
    ${otherPages(list, number, here, { view, version, w })}
    ${threads?.next !== undefined && moreThreads(project, request)}`
  }
}

/** @param query what the address of the page says */
const linkAt = (query: string): readonly [string, string] => [query === '' ? '?on=' : `${query}&on=`, TO_TEXT]

const moreThreads = (project: EitherProject, { iid }: MergeRequest): Html =>
  html`<p class="empty">
    There are more threads on lines than are shown here:
    <a href="${pageOf(project, `merge_requests/${iid}`)}">all of them</a>.
  </p>`

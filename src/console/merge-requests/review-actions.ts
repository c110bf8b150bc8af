import { DiffEntity } from '#code/commits/diff-entity.ts'
import { MAX_LINES_AROUND } from '#code/merge-requests/suggestions/limits.ts'
import { MergeRequestSingle } from '#code/merge-requests/entity.ts'
import { conflict, invalid } from '#platform/refusals.ts'
import { type Action, asks } from '../frame/action.ts'
import { type Api, path } from '../frame/api.ts'
import type { Actions } from '../frame/form-page.ts'
import { addressOf } from '../frame/lists.ts'
import { linesIn } from '../repository/diff-lines.ts'
import { keyOf, lineKey } from '../repository/line-keys.ts'
import { linesAfter } from './chosen-lines.ts'
import { TO_TEXT } from './review.ts'

/** Files on one page of what a merge request changes. */
export const FILES = 50

type Parameters = Readonly<Record<string, unknown>>

interface ShownFiles {
  readonly here: string
  readonly page: number
}

/**
 * What the forms of a review do.
 * @param address of the merge request in the API
 * @param at the address of what it changes, and which page of that is shown
 */
export function reviewActions(address: string, at: ShownFiles): Actions {
  const drafts = `${address}/draft_notes`
  const { here, page } = at
  const to = addressOf(here, { page: page === 1 ? undefined : page })
  const drafted =
    (in_reply_to_discussion_id: string, resolve_discussion: boolean): Action =>
    async (api, { body: note }) => {
      await api.send('POST', drafts, { note, in_reply_to_discussion_id, resolve_discussion })
      return { says: 'The draft note is kept.', to: here }
    }
  const one = (id: string) => `${drafts}${path`/${id}`}`
  return {
    'choose-lines':
      () =>
      async (api, { file, from, to: until }) => {
        const { items } = await api.list(DiffEntity, `${address}/diffs`, { page, per_page: FILES })
        const first = Number(from)
        const last = until === '' || until === undefined ? first : Number(until)
        if (last < first || last - first > MAX_LINES_AROUND)
          throw invalid({ to: [`is not within ${MAX_LINES_AROUND} lines of the first one`] })
        const diff = items.find(({ new_path }) => new_path === file)
        if (diff === undefined || linesAfter(diff, first, last) === undefined)
          throw invalid({ from: ['is not among those that are shown of this file'] })
        const query = {
          page: page === 1 ? undefined : page,
          suggest: diff.new_path,
          from: first,
          to: last,
        }
        return { says: 'The lines are in the form. Change them.', to: `${addressOf(here, query)}${TO_TEXT}` }
      },
    'draft-line': () =>
      onLine(address, page, (api, note, position) => api.send('POST', drafts, { note, position }), {
        says: 'The draft note is kept.',
        to,
      }),
    'comment-line': () =>
      onLine(
        address,
        page,
        (api, body, position) => api.send('POST', `${address}/discussions`, { body, position }),
        { says: 'You commented.', to },
      ),
    'draft-reply': (thread) => drafted(thread, false),
    'draft-resolve': (thread) => drafted(thread, true),
    'change-draft': (id) =>
      asks({
        method: 'PUT',
        path: one(id),
        says: 'The draft note is changed.',
      }),
    'publish-draft': (id) =>
      asks({ method: 'PUT', path: `${one(id)}/publish`, says: 'The draft note is published.' }),
    'delete-draft': (id) => asks({ method: 'DELETE', path: one(id), says: 'The draft note is deleted.' }),
    'publish-drafts': () =>
      asks({ method: 'POST', path: `${drafts}/bulk_publish`, says: 'Your draft notes are published.' }),
  }
}

type Write = (api: Api, text: unknown, position: Parameters) => Promise<void>

/** Writes something on a line of what the visitor saw, and leads to the line. */
const onLine =
  (address: string, page: number, write: Write, { says, to }: { says: string; to: string }): Action =>
  async (api, { note, ...named }) => {
    const { position, place } = await positionOf(api, address, page, named)
    await write(api, note, position)
    return { says, to: `${to}#${place}` }
  }

/**
 * The position of a line that is named by its file and one number, or of the whole file, and where it is on the page. The API wants
 * both numbers of a line that did not change.
 * @throws 400 for a line that the diff does not show, 409 when the source branch has moved on since somebody looked
 */
async function positionOf(
  api: Api,
  address: string,
  page: number,
  { head_sha, file, side, line }: Parameters,
): Promise<{ readonly position: Parameters; readonly place: string }> {
  const [{ diff_refs: refs }, { items }] = await Promise.all([
    api.get(MergeRequestSingle, address),
    api.list(DiffEntity, `${address}/diffs`, { page, per_page: FILES }),
  ])
  if (head_sha !== refs.head_sha)
    throw conflict('409 Conflict - the source branch has other commits by now. Look at the changes again.')
  const diff = items.find(({ new_path }) => new_path === file)
  if (diff === undefined) throw invalid({ file: ['is not among those that differ'] })
  const { old_path, new_path } = diff
  const paths = { ...refs, old_path, new_path }
  if (line === '')
    return { position: { ...paths, position_type: 'file' }, place: `file-${items.indexOf(diff) + 1}` }
  const lines = linesIn(diff).filter(({ kind }) => kind !== 'head')
  const wanted = Number(line)
  const found = lines.find(({ before, after }) => (side === 'old' ? before : after) === wanted)
  if (found === undefined) throw invalid({ line: ['is not among those that are shown of this file'] })
  const { before: old_line = null, after: new_line = null } = found
  return {
    position: { ...paths, position_type: 'text', old_line, new_line },
    place: lineKey(keyOf(diff), found),
  }
}

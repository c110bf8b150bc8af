import { DiffEntity } from '#code/commits/diff-entity.ts'
import { DraftNote } from '#code/merge-requests/draft-notes/entity.ts'
import { MergeRequestSingle } from '#code/merge-requests/entity.ts'
import { conflict, invalid } from '#platform/refusals.ts'
import { type Action, asks } from '../frame/action.ts'
import { type Api, path } from '../frame/api.ts'
import type { Actions } from '../frame/form-page.ts'
import { numbered } from '../repository/diff-lines.ts'

/** Files on one page of what a merge request changes. */
export const FILES = 50

type Parameters = Readonly<Record<string, unknown>>

/**
 * What the forms of a review do.
 * @param address of the merge request in the API
 * @param page which page of its files is shown
 */
export function reviewActions(address: string, page: number): Actions {
  const drafts = `${address}/draft_notes`
  const one = (id: string) => `${drafts}${path`/${id}`}`
  return {
    'draft-line': () =>
      onLine(address, page, (api, note, position) => api.send('POST', drafts, { note, position }), {
        says: 'The draft note is kept.',
      }),
    'comment-line': () =>
      onLine(
        address,
        page,
        (api, body, position) => api.send('POST', `${address}/discussions`, { body, position }),
        { says: 'You commented.' },
      ),
    'change-draft': (id) =>
      asks({
        method: 'PUT',
        path: one(id),
        says: 'The draft note is changed.',
        seen: async (api) => [(await api.get(DraftNote, one(id))).note],
      }),
    'publish-draft': (id) =>
      asks({ method: 'PUT', path: `${one(id)}/publish`, says: 'The draft note is published.' }),
    'delete-draft': (id) => asks({ method: 'DELETE', path: one(id), says: 'The draft note is deleted.' }),
    'publish-drafts': () =>
      asks({ method: 'POST', path: `${drafts}/bulk_publish`, says: 'Your draft notes are published.' }),
  }
}

type Write = (api: Api, text: unknown, position: Parameters) => Promise<void>

/** Writes something on a line of what the visitor saw. */
const onLine =
  (address: string, page: number, write: Write, { says }: { readonly says: string }): Action =>
  async (api, { note, ...named }) => {
    await write(api, note, await positionOf(api, address, page, named))
    return { says, to: undefined }
  }

/**
 * The position of a line that is named by its file and one number. The API wants both numbers of a line that did not change.
 * @throws 400 for a line that the diff does not show, 409 when the source branch has moved on since somebody looked
 */
async function positionOf(
  api: Api,
  address: string,
  page: number,
  { head_sha, file, side, line }: Parameters,
): Promise<Parameters> {
  const [{ diff_refs: refs }, diffs] = await Promise.all([
    api.get(MergeRequestSingle, address),
    api.list(DiffEntity, `${address}/diffs`, { page, per_page: FILES }),
  ])
  if (head_sha !== refs.head_sha)
    throw conflict('409 Conflict - the source branch has other commits by now. Look at the changes again.')
  const diff = diffs.items.find(({ new_path }) => new_path === file)
  if (diff === undefined) throw invalid({ file: ['is not among those that differ'] })
  const lines = numbered(diff.diff.split('\n').filter((one) => one !== '')).filter(
    ({ kind }) => kind !== 'head',
  )
  const wanted = Number(line)
  const found = lines.find(({ before, after }) => (side === 'old' ? before : after) === wanted)
  if (found === undefined) throw invalid({ line: ['is not among those that are shown of this file'] })
  const { before: old_line = null, after: new_line = null } = found
  const { old_path, new_path } = diff
  return { ...refs, position_type: 'text', old_path, new_path, old_line, new_line }
}

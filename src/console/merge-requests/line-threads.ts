import type { Static } from 'typebox'
import type { DiffEntity } from '#code/commits/diff-entity.ts'
import type { DraftNote } from '#code/merge-requests/draft-notes/entity.ts'
import { mergeRequestNoteable } from '#code/merge-requests/noteable.ts'
import { type Html, html } from '#platform/http/html.ts'
import { discussionOn } from '#planning/discussions/entity.ts'
import type { Position } from '#planning/noteables/position.ts'
import type { Api } from '../frame/api.ts'
import { type Discussions, type OfNotes, rendered, thread } from '../items/discussions.ts'
import type { Talk } from '../items/talk.ts'
import { linesIn } from '../repository/diff-lines.ts'
import { keyOf, lineKey } from '../repository/line-keys.ts'

type Diff = Static<typeof DiffEntity>
type AnyPosition = Static<typeof DraftNote>['position'] | Position

/** Threads on lines that a page asks for. */
const MOST = 100

/** The threads on what a merge request changes, the oldest first; undefined for strangers. @param address in the API */
export const threadsOnDiffs = async (api: Api, address: string): Promise<Discussions | undefined> =>
  api.isForSomebody
    ? api.list(discussionOn(mergeRequestNoteable), `${address}/discussions`, {
        on_diff: true,
        with_reactions: true,
        per_page: MOST,
      })
    : undefined

/** The commits that a page compares. */
export interface Compared {
  readonly base_sha: string | null
  readonly head_sha: string | null
}

/** Something that was said of a line, as the page shows it. */
interface Said {
  readonly position: AnyPosition | undefined
  readonly shown: Html
}

interface Shown {
  readonly diffs: readonly Diff[]
  readonly compared: Compared
  /** The address of the page with all threads. */
  readonly overview: string
}

/** What stands below lines and files, by their keys. What was said of other versions is counted at its file. */
export function atLines(
  said: readonly Said[],
  { diffs, compared, overview }: Shown,
): ReadonlyMap<string, readonly Html[]> {
  const files = new Map(diffs.map((diff) => [diff.new_path, diff]))
  const byFile = Map.groupBy(said, ({ position }) =>
    files.get(position?.new_path ?? position?.old_path ?? ''),
  )
  const all = [...byFile].flatMap(([diff, some]) => {
    if (diff === undefined) return []
    const keyAt = placesIn(diff, compared)
    const placed = some.map(({ position, shown }) => ({ key: position && keyAt(position), shown }))
    const here = placed.flatMap(({ key, shown }) => (key === undefined ? [] : [{ key, shown }]))
    const others = placed.length - here.length
    return others === 0 ? here : [...here, { key: keyOf(diff), shown: elsewhere(others, overview) }]
  })
  const byKey = Map.groupBy(all, ({ key }) => key)
  return new Map([...byKey].map(([key, some]) => [key, some.map(({ shown }) => shown)]))
}

const elsewhere = (count: number, overview: string): Html =>
  html`<p class="quiet">
    <a href="${overview}"
      >${count === 1 ? 'A comment' : `${count} comments`} on another version of this file</a
    >
  </p>`

/** The threads of a page, to stand below their lines. */
export async function threadsAsSaid(
  api: Api,
  threads: Discussions | undefined,
  { diffs, talk, of, path }: Pick<Shown, 'diffs'> & ToTalk,
): Promise<readonly Said[]> {
  const files = new Set(diffs.map(({ new_path }) => new_path))
  const items = (threads?.items ?? []).filter(({ notes: [first] }) =>
    files.has(first?.position?.new_path ?? first?.position?.old_path ?? ''),
  )
  const texts = await rendered(api, { path }, null, { items, total: undefined, next: undefined }, of)
  return items.map((one) => ({ position: one.notes[0]?.position, shown: thread(one, texts, talk, of) }))
}

interface ToTalk {
  readonly talk: Talk
  readonly of: OfNotes
  /** The path of the project. */
  readonly path: string
}

/** The keys of the lines of a file, or of the file, on which notes stand; undefined where the page does not show it. */
function placesIn(
  diff: Diff,
  { base_sha, head_sha }: Compared,
): (position: AnyPosition) => string | undefined {
  const file = keyOf(diff)
  const lines = new Set(linesIn(diff).map((line) => lineKey(file, line)))
  return (position) => {
    if (position.base_sha !== base_sha || position.head_sha !== head_sha) return undefined
    if (position.position_type !== 'text') return file
    const { old_line, new_line } = position
    const key = lineKey(file, { before: old_line ?? undefined, after: new_line ?? undefined })
    return lines.has(key) ? key : undefined
  }
}

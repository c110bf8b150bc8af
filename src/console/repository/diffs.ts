import { hash } from 'node:crypto'
import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { DiffEntity } from '#code/commits/diff-entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { integer, oneOf } from '#platform/http/schema.ts'
import { addressOf, choices } from '../frame/lists.ts'
import { languageOf } from './file.ts'
import { numbered, pairs, splitDiff, withoutSpaces } from './diff-lines.ts'
import { Rows } from './diff-rows.ts'
import { type AtLines, keyOf } from './line-keys.ts'

type Diff = Static<typeof DiffEntity>

/** Lines of one file that a page shows, of all files together, and of a file that is shown alone. */
const MOST_LINES = 3_000
const MOST_IN_ALL = 20_000
const MOST_OF_ONE = 50_000

/** How a page shows what changed. */
export const DiffQuery = {
  view: Type.Optional(oneOf(['inline', 'parallel'])),
  file: Type.Optional(integer({ minimum: 1, maximum: 10_000 })),
  /** Changes of white space: 0 shows them, 1 hides them. */
  w: Type.Optional(oneOf(['0', '1'])),
}

export interface DiffView {
  /** The address of the page, and what its query says besides. */
  readonly here: string
  readonly page?: number | undefined
  /** Before and after one below the other, or side by side. */
  readonly view?: 'inline' | 'parallel' | undefined
  /** The number of the file that is shown alone, from 1. */
  readonly file?: number | undefined
  /** Whether changes of white space are shown, as the address says; undefined where it says nothing. */
  readonly w?: '0' | '1' | undefined
  /** What the visitor prefers. */
  readonly prefers?: DiffPreferences | undefined
  /** Which version of a merge request is shown; undefined for the latest. */
  readonly version?: number | undefined
  /** What is reviewed: browsers keep which of its files were viewed. */
  readonly reviewed?: string | undefined
  /** What stands at lines besides. */
  readonly at?: AtLines | undefined
}

export interface DiffPreferences {
  readonly view_diffs_file_by_file: boolean
  readonly show_whitespace_in_diffs: boolean
}

/** Whether lines are marked in which nothing but white space changed. */
const showsSpaces = ({ w, prefers }: DiffView): boolean =>
  w === undefined ? (prefers?.show_whitespace_in_diffs ?? true) : w === '0'

/** What changed in files. */
export function shownDiffs(diffs: readonly Diff[], asked: DiffView): Html {
  if (diffs.length === 0) return html`<p class="empty">Nothing differs.</p>`
  const isAlone = asked.file === undefined && asked.prefers?.view_diffs_file_by_file === true
  const shown = isAlone ? { ...asked, file: 1 } : asked
  const { here, view = 'inline', page, file, version, w, reviewed } = shown
  const query = { page: page === 1 ? undefined : page, file, version, w }
  const views = { ...query, view: view === 'inline' ? undefined : view }
  const numberedFiles = diffs.map((diff, index) => ({ diff, number: index + 1 }))
  /** @param number of a file */
  const toFile = (number: number) =>
    file === undefined ? `#file-${number}` : `${addressOf(here, { ...views, file: number })}#file-${number}`
  const spaces = showsSpaces(shown)
  const some = numberedFiles.filter(({ number }) => file === undefined || number === file)
  let room = file === undefined ? MOST_IN_ALL : MOST_OF_ONE
  const roomFor = (diff: Diff) => {
    const most = Math.min(room, file === undefined ? MOST_LINES : MOST_OF_ONE)
    room -= Math.min(most, splitDiff(diff.diff).length)
    return most
  }
  return html`${choices('How changes are shown', [
      { title: 'Inline', address: addressOf(here, query), here: view === 'inline' },
      {
        title: 'Side by side',
        address: addressOf(here, { ...query, view: 'parallel' }),
        here: view === 'parallel',
      },
      {
        title: spaces ? 'Hide changes of white space' : 'Show changes of white space',
        address: addressOf(here, { ...views, w: spaces ? 1 : 0 }),
        here: false,
      },
    ])}
    <details class="changed" open>
      <summary>${diffs.length === 1 ? '1 file' : `${diffs.length} files`}</summary>
      ${folders(numberedFiles, toFile)}
    </details>
    ${some.map(
      ({ diff, number }) =>
        html`<section
          class="file"
          id="file-${number}"
          aria-label="${diff.new_path}"
          ${reviewed !== undefined && html`data-viewed="${reviewed} ${digestOf(diff)}"`}
        >
          <h2>${diff.renamed_file && html`${diff.old_path} → `}${diff.new_path} ${badge(diff)}</h2>
          ${shown.at?.below.get(keyOf(diff))} ${linesOf(diff, shown, number, roomFor(diff))}
        </section>`,
    )}
    ${file !== undefined && filesBeside(file, diffs.length, toFile)}`
}

/** Links to the files before and after one that is shown alone. */
const filesBeside = (file: number, count: number, toFile: (number: number) => string): Html =>
  html`<nav class="pages" aria-label="Files">
    ${file > 1 && html`<a href="${toFile(file - 1)}" rel="prev">Previous file</a>`}
    ${file < count && html`<a href="${toFile(file + 1)}" rel="next">Next file</a>`}
    <span class="quiet">File ${file} of ${count}</span>
  </nav>`

/** Another one for each state of a file: what was viewed is to be viewed again when it changes. */
const digestOf = ({ new_path, diff }: Diff): string =>
  hash('sha256', `${new_path}\n${diff}`, 'base64url').slice(0, 16)

interface NumberedDiff {
  readonly diff: Diff
  readonly number: number
}

/** The files by their folders. */
function folders(diffs: readonly NumberedDiff[], toFile: (number: number) => string): readonly Html[] {
  const byFolder = Map.groupBy(diffs, ({ diff }) => folderOf(diff.new_path))
  return [...byFolder].map(
    ([folder, files]) =>
      html`${folder !== '' && html`<p class="quiet">${folder}/</p>`}
        <ul>
          ${files.map(
            ({ diff, number }) =>
              html`<li>
                <a href="${toFile(number)}">${diff.new_path.slice(folder === '' ? 0 : folder.length + 1)}</a>
                ${badge(diff)} ${sizeOf(diff)}
              </li>`,
          )}
        </ul>`,
  )
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** How many lines were added and removed. */
function sizeOf({ diff }: Diff): Html | undefined {
  const added = diff.match(/^\+/gm)?.length ?? 0
  const removed = diff.match(/^-/gm)?.length ?? 0
  return added + removed === 0 ? undefined : html`<span class="quiet">+${added} −${removed}</span>`
}

function badge({ new_file, deleted_file, renamed_file }: Diff): Html | undefined {
  const word = new_file ? 'new' : deleted_file ? 'deleted' : renamed_file ? 'renamed' : undefined
  return word === undefined ? undefined : html`<span class="badge">${word}</span>`
}

/** @param most how many lines there is room for */
function linesOf(diff: Diff, asked: DiffView, number: number, most: number): Html {
  if (diff.too_large || diff.collapsed)
    return html`<p class="empty">The change is too large to be shown here.</p>`
  const lines = splitDiff(diff.diff)
  if (lines.length === 0) return html`<p class="empty">No lines differ.</p>`
  const { here, view, page, file, version, w, at } = asked
  const left = lines.length - most
  const all = numbered(lines.slice(0, most))
  const shown = showsSpaces(asked) ? all : withoutSpaces(all)
  const rows = new Rows(keyOf(diff), at)
  return html`${
    shown.length > 0 &&
    html`<div class="sideways" tabindex="0">
      <table class="diff ${view ?? 'inline'}" data-language="${languageOf(diff.new_path)}">
        <tbody>
          ${view === 'parallel' ? pairs(shown).map((pair) => rows.pair(pair)) : shown.map((line) => rows.line(line))}
        </tbody>
      </table>
    </div>`
  }
  ${
    left > 0 &&
    html`<p class="empty">
      ${left} ${most > 0 && 'more'} lines are not shown.
      ${file === undefined && html`<a href="${addressOf(here, { page, view, version, w, file: number })}#file-${number}">Show all of this file</a>`}
    </p>`
  }`
}

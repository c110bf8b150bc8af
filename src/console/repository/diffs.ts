import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { DiffEntity } from '#code/commits/diff-entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { integer, oneOf } from '#platform/http/schema.ts'
import { addressOf, choices } from '../frame/lists.ts'
import { languageOf } from './file.ts'
import { type DiffLine, numbered, pairs } from './diff-lines.ts'

type Diff = Static<typeof DiffEntity>

/** Lines of one file that a page shows, of all files together, and of a file that is shown alone. */
const MOST_LINES = 3_000
const MOST_IN_ALL = 20_000
const MOST_OF_ONE = 50_000

/** How a page shows what changed. */
export const DiffQuery = {
  view: Type.Optional(oneOf(['inline', 'parallel'])),
  file: Type.Optional(integer({ minimum: 1, maximum: 10_000 })),
}

export interface DiffView {
  /** The address of the page, and what its query says besides. */
  readonly here: string
  readonly page?: number | undefined
  /** Before and after one below the other, or side by side. */
  readonly view?: 'inline' | 'parallel' | undefined
  /** The number of the file that is shown alone, from 1. */
  readonly file?: number | undefined
}

/** What changed in files. */
export function shownDiffs(diffs: readonly Diff[], shown: DiffView): Html {
  if (diffs.length === 0) return html`<p class="empty">Nothing differs.</p>`
  const { here, view = 'inline', page, file } = shown
  const query = { page: page === 1 ? undefined : page, file }
  const numberedFiles = diffs.map((diff, index) => ({ diff, number: index + 1 }))
  const some = numberedFiles.filter(({ number }) => file === undefined || number === file)
  let room = file === undefined ? MOST_IN_ALL : MOST_OF_ONE
  const roomFor = (diff: Diff) => {
    const most = Math.min(room, file === undefined ? MOST_LINES : MOST_OF_ONE)
    room -= Math.min(most, split(diff).length)
    return most
  }
  return html`${choices('How changes are shown', [
      { title: 'Inline', address: addressOf(here, query), here: view === 'inline' },
      {
        title: 'Side by side',
        address: addressOf(here, { ...query, view: 'parallel' }),
        here: view === 'parallel',
      },
    ])}
    <details class="changed" open>
      <summary>${diffs.length === 1 ? '1 file' : `${diffs.length} files`}</summary>
      ${folders(numberedFiles)}
    </details>
    ${some.map(
      ({ diff, number }) =>
        html`<section class="file" id="file-${number}" aria-label="${diff.new_path}">
          <h2>${diff.renamed_file && html`${diff.old_path} → `}${diff.new_path} ${badge(diff)}</h2>
          ${linesOf(diff, shown, number, roomFor(diff))}
        </section>`,
    )}`
}

interface NumberedDiff {
  readonly diff: Diff
  readonly number: number
}

/** The files by their folders. */
function folders(diffs: readonly NumberedDiff[]): readonly Html[] {
  const byFolder = Map.groupBy(diffs, ({ diff }) => folderOf(diff.new_path))
  return [...byFolder].map(
    ([folder, files]) =>
      html`${folder !== '' && html`<p class="quiet">${folder}/</p>`}
        <ul>
          ${files.map(
            ({ diff, number }) =>
              html`<li>
                <a href="#file-${number}">${diff.new_path.slice(folder === '' ? 0 : folder.length + 1)}</a>
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

const split = ({ diff }: Diff): readonly string[] =>
  diff === '' ? [] : (diff.endsWith('\n') ? diff.slice(0, -1) : diff).split('\n')

/** @param most how many lines there is room for */
function linesOf(diff: Diff, { here, view, page, file }: DiffView, number: number, most: number): Html {
  if (diff.too_large || diff.collapsed)
    return html`<p class="empty">The change is too large to be shown here.</p>`
  const lines = split(diff)
  if (lines.length === 0) return html`<p class="empty">No lines differ.</p>`
  const left = lines.length - most
  const shown = numbered(lines.slice(0, most))
  return html`${
    shown.length > 0 &&
    html`<div class="sideways" tabindex="0">
      <table class="diff ${view}" data-language="${languageOf(diff.new_path)}">
        <tbody>
          ${view === 'parallel' ? pairs(shown).map(shownPair) : shown.map(shownLine)}
        </tbody>
      </table>
    </div>`
  }
  ${
    left > 0 &&
    html`<p class="empty">
      ${left} ${most > 0 && 'more'} lines are not shown.
      ${file === undefined && html`<a href="${addressOf(here, { page, view, file: number })}#file-${number}">Show all of this file</a>`}
    </p>`
  }`
}

const signs = { head: '', added: '+', removed: '−', same: '' } as const

const shownLine = ({ kind, before, after, text }: DiffLine): Html =>
  html`<tr class="${kind}">
    <td class="number">${before}</td>
    <td class="number">${after}</td>
    <td class="sign">${signs[kind]}</td>
    <td><code>${text}</code></td>
  </tr>`

const shownPair = ([left, right]: readonly [DiffLine | undefined, DiffLine | undefined]): Html =>
  left?.kind === 'head'
    ? html`<tr class="head">
        <td colspan="4"><code>${left.text}</code></td>
      </tr>`
    : html`<tr>
        ${half(left, left?.before)}${half(right, right?.after)}
      </tr>`

const half = (line: DiffLine | undefined, number: number | undefined): Html =>
  html`<td class="number ${line?.kind}">${number}</td>
    <td class="${line?.kind}">${line !== undefined && html`<code>${line.text}</code>`}</td>`

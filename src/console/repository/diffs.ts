import type { Static } from 'typebox'
import type { DiffEntity } from '#code/commits/diff-entity.ts'
import { type Html, html } from '#platform/http/html.ts'

type Diff = Static<typeof DiffEntity>

/** Lines of one file that a page shows. */
const MOST_LINES = 3_000

/** What changed in files: the lines before and after, one below the other. */
export function shownDiffs(diffs: readonly Diff[]): Html {
  if (diffs.length === 0) return html`<p class="empty">Nothing differs.</p>`
  return html`<ul class="changed">
      ${diffs.map((diff, index) => html`<li><a href="#file-${index}">${diff.new_path}</a> ${badge(diff)}</li>`)}
    </ul>
    ${diffs.map(
      (diff, index) =>
        html`<section class="file" id="file-${index}" aria-label="${diff.new_path}">
          <h2>${diff.renamed_file && html`${diff.old_path} → `}${diff.new_path} ${badge(diff)}</h2>
          ${linesOf(diff)}
        </section>`,
    )}`
}

function badge({ new_file, deleted_file, renamed_file }: Diff): Html | undefined {
  const word = new_file ? 'new' : deleted_file ? 'deleted' : renamed_file ? 'renamed' : undefined
  return word === undefined ? undefined : html`<span class="badge">${word}</span>`
}

function linesOf({ diff, too_large, collapsed }: Diff): Html {
  if (too_large || collapsed) return html`<p class="empty">The change is too large to be shown here.</p>`
  if (diff === '') return html`<p class="empty">No lines differ.</p>`
  const lines = (diff.endsWith('\n') ? diff.slice(0, -1) : diff).split('\n')
  const left = lines.length - MOST_LINES
  return html`<table class="diff">
      <tbody>
        ${numbered(lines.slice(0, MOST_LINES)).map(shownLine)}
      </tbody>
    </table>
    ${left > 0 && html`<p class="empty">${left} more lines are not shown.</p>`}`
}

interface Line {
  readonly kind: 'head' | 'added' | 'removed' | 'same'
  readonly before: number | undefined
  readonly after: number | undefined
  readonly text: string
}

/** The lines of a unified diff with their numbers before and after. */
function numbered(lines: readonly string[]): readonly Line[] {
  let before = 0
  let after = 0
  return lines.map((line): Line => {
    const [, first, second] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line) ?? []
    const text = line.slice(1)
    if (first !== undefined && second !== undefined) {
      before = Number(first) - 1
      after = Number(second) - 1
      return { kind: 'head', before: undefined, after: undefined, text: line }
    }
    if (line.startsWith('+')) return { kind: 'added', before: undefined, after: (after += 1), text }
    if (line.startsWith('-')) return { kind: 'removed', before: (before += 1), after: undefined, text }
    if (line.startsWith('\\')) return { kind: 'head', before: undefined, after: undefined, text: line }
    return { kind: 'same', before: (before += 1), after: (after += 1), text }
  })
}

const signs = { head: '', added: '+', removed: '−', same: '' } as const

const shownLine = ({ kind, before, after, text }: Line): Html =>
  html`<tr class="${kind}">
    <td class="number">${before}</td>
    <td class="number">${after}</td>
    <td class="sign">${signs[kind]}</td>
    <td><code>${text}</code></td>
  </tr>`

import { type Html, html } from '#platform/http/html.ts'
import type { DiffLine } from './diff-lines.ts'
import { type AtLines, lineKey } from './line-keys.ts'

const signs = { head: '', added: '+', removed: '−', same: '' } as const

/**
 * The lines of a diff as rows of its table. A page has thousands of them: lines that did not change have no class, and the stylesheet
 * knows the cells of numbers by their places.
 */
export class Rows {
  readonly #file: string
  readonly #at: AtLines | undefined

  /** @param file its key */
  constructor(file = '', at?: AtLines) {
    this.#file = file
    this.#at = at
  }

  /** Before and after one below the other. */
  line(line: DiffLine): Html {
    const { kind, before, after, text } = line
    return html`<tr ${kind !== 'same' && html`class="${kind}"`}>
        <td>${after === undefined ? this.#number(line, before) : before}</td>
        <td>${after !== undefined && this.#number(line, after)}</td>
        <td>${signs[kind]}</td>
        <td><code>${text}</code></td>
      </tr>
      ${this.#below(line)}`
  }

  /** Before and after side by side. */
  pair([left, right]: readonly [DiffLine | undefined, DiffLine | undefined]): Html {
    if (left?.kind === 'head')
      return html`<tr class="head">
        <td colspan="4"><code>${left.text}</code></td>
      </tr>`
    const isSame = left === right
    return html`<tr>
        ${half(left, isSame || left === undefined ? left?.before : this.#number(left, left.before))}
        ${half(right, right && this.#number(right, right.after))}
      </tr>
      ${!isSame && left && this.#below(left)} ${right && this.#below(right)}`
  }

  /** The number of a line, which leads to the form for a comment on it. */
  #number(line: DiffLine, number: number | undefined): Html | number | undefined {
    const link = this.#at?.link
    if (link === undefined || number === undefined) return number
    return html`<a href="${link[0]}${lineKey(this.#file, line)}${link[1]}">${number}</a>`
  }

  #below(line: DiffLine): Html | undefined {
    if (this.#at === undefined || this.#at.below.size === 0) return undefined
    const key = lineKey(this.#file, line)
    const below = this.#at.below.get(key)
    return (
      below &&
      html`<tr class="talk" id="${key}">
        <td colspan="4">${below}</td>
      </tr>`
    )
  }
}

const half = (line: DiffLine | undefined, number: Html | number | undefined): Html => {
  const kind = line !== undefined && line.kind !== 'same' && html`class="${line.kind}"`
  return html`<td ${kind}>${number}</td>
    <td ${kind}>${line !== undefined && html`<code>${line.text}</code>`}</td>`
}

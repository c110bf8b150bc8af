// Runs in browsers: colors code, after the page is there. The library makes text with elements of it, never with scripts.
import hljs from '@highlightjs/cdn-assets/es/highlight.min.js'

/** Characters of a file that are colored, and lines of changes: more would keep the visitor waiting. */
const MOST_CHARACTERS = 300_000
const MOST_LINES = 3_000

/** Code in a language as nodes: text, and elements with the classes of the stylesheet. */
function nodesOf(code: string, language: string): Node[] {
  const { value } = hljs.highlight(code, { language, ignoreIllegals: true })
  // Within an element: parsers of HTML drop the white space that a page begins with.
  const parsed = new DOMParser().parseFromString(`<code>${value}</code>`, 'text/html')
  return [...(parsed.querySelector('code')?.childNodes ?? [])]
}

const isKnown = (language: string | undefined): language is string =>
  language !== undefined && hljs.getLanguage(language) !== undefined

/** Splits nodes at the ends of lines. An element that goes over several is in each of them. */
function linesOf(nodes: readonly Node[]): Node[][] {
  const lines: Node[][] = [[]]
  for (const node of nodes) {
    const parts =
      node instanceof HTMLElement
        ? linesOf([...node.childNodes]).map((inside) => {
            const copy = document.createElement('span')
            copy.className = node.className
            copy.append(...inside)
            return copy
          })
        : (node.textContent ?? '').split('\n').map((text) => document.createTextNode(text))
    parts.forEach((part, index) => {
      if (index > 0) lines.push([])
      lines.at(-1)?.push(part)
    })
  }
  return lines
}

/** Lines of a file, each of which has its number in front. */
function colorFile(code: HTMLElement, language: string): void {
  const shown = [...code.querySelectorAll('.line')]
  const texts = shown.map((line) => (line.lastChild?.textContent ?? '').replace(/\n$/, ''))
  const text = texts.join('\n')
  if (text.length > MOST_CHARACTERS) return
  const lines = linesOf(nodesOf(text, language))
  // The number stays in front, and the end of the line behind.
  if (lines.length === shown.length)
    shown.forEach((line, index) => line.lastChild?.replaceWith(...(lines[index] ?? []), '\n'))
}

for (const code of document.querySelectorAll<HTMLElement>('pre.code[data-language]'))
  if (isKnown(code.dataset['language'])) colorFile(code, code.dataset['language'])

for (const table of document.querySelectorAll<HTMLElement>('table.diff[data-language]')) {
  const { language } = table.dataset
  const lines = [...table.querySelectorAll(':scope > tbody > tr:not(.head) > td > code')]
  if (isKnown(language) && lines.length <= MOST_LINES)
    for (const line of lines) line.replaceChildren(...nodesOf(line.textContent ?? '', language))
}

for (const code of document.querySelectorAll<HTMLElement>('.text pre > code')) {
  const language = [...code.classList].find((name) => name.startsWith('language-'))?.slice('language-'.length)
  const text = code.textContent ?? ''
  if (isKnown(language) && text.length <= MOST_CHARACTERS) code.replaceChildren(...nodesOf(text, language))
}

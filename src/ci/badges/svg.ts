import { escapeHtml } from '#platform/http/html.ts'

/** What a badge says. */
export interface Badge {
  readonly key: string
  readonly value: string
  readonly color: string
  /** Pixels of the part with the key; by default what it takes. */
  readonly keyWidth?: number | undefined
  readonly flatSquare: boolean
}

/** About the pixels that a text takes in this letter. */
const widthOf = (text: string): number => Math.ceil(text.length * 6.6) + 10

/** A badge as a picture. */
export function badgeSvg({ key, value, color, keyWidth = widthOf(key), flatSquare }: Badge): string {
  const valueWidth = widthOf(value)
  const width = keyWidth + valueWidth
  const [left, right] = [escapeHtml(key), escapeHtml(value)]
  const text = (at: number, what: string) =>
    `<text x="${at}" y="15" fill="#010101" fill-opacity=".3">${what}</text><text x="${at}" y="14">${what}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${left}: ${right}">
<title>${left}: ${right}</title>
<clipPath id="r"><rect width="${width}" height="20" rx="${flatSquare ? 0 : 3}" fill="#fff"/></clipPath>
<g clip-path="url(#r)"><rect width="${keyWidth}" height="20" fill="#555"/><rect x="${keyWidth}" width="${valueWidth}" height="20" fill="${color}"/></g>
<g fill="#fff" text-anchor="middle" font-family="DejaVu Sans,Verdana,Geneva,sans-serif" font-size="11">${text(keyWidth / 2, left)}${text(keyWidth + valueWidth / 2, right)}</g>
</svg>
`
}

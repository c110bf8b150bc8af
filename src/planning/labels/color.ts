import cssColors from 'color-name'

const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i

/** Converts a color parameter to `#rrggbb`, from hexadecimal or a CSS name; undefined when it is neither. */
export function readColor(given: string): string | undefined {
  const text = given.trim()
  if (HEX.test(text)) return text.length === 4 ? text.replace(/[^#]/g, '$&$&') : text
  const named = new Map(Object.entries(cssColors)).get(text.toLowerCase())
  return named && `#${named.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** Dark text on light colors, white on dark ones, by perceived brightness. */
export function textColorOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  return red * 0.299 + green * 0.587 + blue * 0.114 > 150 ? '#1F1E24' : '#FFFFFF'
}

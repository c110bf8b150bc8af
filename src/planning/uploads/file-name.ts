/** Bytes of a file name. */
const MAX_FILE_NAME_BYTES = 200

/** A name for a file that is safe in paths, URLs and Markdown. Long ones lose their beginning, and keep their extension. */
export function safeFileName(filename: string): string {
  const base = filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1)
  let name = base
    .toWellFormed()
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '_')
    .replace(/^\.+/, '')
  while (Buffer.byteLength(name) > MAX_FILE_NAME_BYTES) name = name.replace(/^(?:.\.*)/u, '')
  return name === '' ? 'file' : name
}

const PICTURE = /\.(?:png|jpe?g|gif|bmp|tiff?|ico|webp|svg)$/i

/** What a text shows in the place of a file: the name, of a picture without its extension. */
export const shownName = (name: string): string =>
  PICTURE.test(name) ? name.replace(/\.[^.]*$/, '') || name : name

/** The Markdown that shows a picture, or links to another file. */
export const markdownOf = (name: string, url: string): string =>
  `${PICTURE.test(name) ? '!' : ''}[${shownName(name)}](${url})`

import { html } from '#platform/http/html.ts'
import { iso } from '#platform/http/time.ts'
import type { IndexedFile } from './queries.ts'

// The index that pip reads: as pages of links (PEP 503) or as JSON (PEP 691 and 700).

const JSON_TYPE = 'application/vnd.pypi.simple.v1+json'
const HTML_TYPES = ['application/vnd.pypi.simple.v1+html', 'text/html'] as const

/** A page of the index. */
export interface IndexPage {
  readonly mediaType: string
  readonly text: string
}

/** The media type that a client likes best; pages where it says nothing, or nothing that there is. */
export function indexType(accept = ''): string {
  const wanted = accept
    .split(',')
    .slice(0, 20)
    .map((one) => {
      const [type = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { type: type.replace('.latest+', '.v1+'), quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(
      ({ type, quality }) => quality > 0 && (type === JSON_TYPE || HTML_TYPES.some((one) => one === type)),
    )
    .toSorted((one, other) => other.quality - one.quality)
  return wanted[0]?.type ?? 'text/html'
}

/** The names of the packages in a place. @param base what the address of the index begins with */
export const namesPage = (names: readonly string[], base: string, mediaType: string): IndexPage =>
  mediaType === JSON_TYPE
    ? json(mediaType, { projects: names.map((name) => ({ name })) })
    : page(
        mediaType,
        'Packages',
        names.map((name) => html`<a href="${base}/simple/${name}/">${name}</a><br /> `),
      )

/** The files of a package. */
export function filesPage(
  name: string,
  files: readonly IndexedFile[],
  base: string,
  mediaType: string,
): IndexPage {
  const urlOf = ({ sha256, file_name }: IndexedFile) =>
    `${base}/files/${sha256.toString('hex')}/${encodeURIComponent(file_name)}`
  if (mediaType === JSON_TYPE)
    return json(mediaType, {
      name,
      versions: [...new Set(files.flatMap(({ version }) => version ?? []))],
      files: files.map((file) => ({
        filename: file.file_name,
        url: urlOf(file),
        hashes: { sha256: file.sha256.toString('hex') },
        ...(file.requires_python !== null && { 'requires-python': file.requires_python }),
        size: file.size,
        'upload-time': iso(file.created_at),
      })),
    })
  const links = files.map((file) => {
    const href = `${urlOf(file)}#sha256=${file.sha256.toString('hex')}`
    return file.requires_python === null
      ? html`<a href="${href}">${file.file_name}</a><br /> `
      : html`<a href="${href}" data-requires-python="${file.requires_python}">${file.file_name}</a><br /> `
  })
  return page(mediaType, `Links for ${name}`, links)
}

const json = (mediaType: string, content: object): IndexPage => ({
  mediaType,
  text: JSON.stringify({ meta: { 'api-version': '1.1' }, ...content }),
})

const page = (mediaType: string, title: string, links: readonly ReturnType<typeof html>[]): IndexPage => ({
  mediaType: `${mediaType}; charset=utf-8`,
  text: html`<!DOCTYPE html>
    <html lang="en">
      <head>
        <meta name="pypi:repository-version" content="1.1" />
        <title>${title}</title>
      </head>
      <body>
        <h1>${title}</h1>
        ${links}
      </body>
    </html> `.text,
})

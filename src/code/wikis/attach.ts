import type { FastifyRequest } from 'fastify'
import type { UploadedFile } from '#platform/http/schema.ts'
import { invalid } from '#platform/refusals.ts'
import { commitToWiki } from './commit-to-wiki.ts'
import { UPLOADS } from './slug.ts'
import type { Wiki } from './wiki.ts'

/** An attachment as it was committed. */
export interface WikiAttachment {
  readonly name: string
  /** In the wiki's repository. */
  readonly path: string
  readonly branch: string
}

/** Commits an uploaded file to the wiki's repository. @throws 400 for one that is too large, and as commitToWiki does */
export async function attach(
  req: FastifyRequest,
  wiki: Wiki,
  { data, filename }: UploadedFile,
  wanted: string | undefined,
): Promise<WikiAttachment> {
  const { settings, random } = req.server.services
  const megabytes = settings().max_attachment_size
  if (data.length > megabytes * 1024 * 1024) throw invalid({ file: [`is larger than ${megabytes} MB`] })
  const name = safeFileName(filename)
  const path = `${UPLOADS}/${Buffer.from(random.bytes(16)).toString('hex')}/${name}`
  const { branch } = await commitToWiki(req, wiki, {
    branch: wanted,
    async edit({ editor, pack }) {
      const put = await editor.put(path, { mode: '100644', id: pack.add('blob', data) })
      if (!put) throw invalid({ file: [`cannot be there: ${UPLOADS} is a file`] })
      return { message: `uploaded attachment: ${name}`, result: undefined }
    },
  })
  return { name, path, branch }
}

/** Bytes of a file name. */
const MAX_FILE_NAME_BYTES = 200

/** A name for a file that is safe in paths, URLs and Markdown. Long ones lose their beginning, and keep their extension. */
function safeFileName(filename: string): string {
  const base = filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1)
  let name = base
    .toWellFormed()
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '_')
    .replace(/^\.+/, '')
  while (Buffer.byteLength(name) > MAX_FILE_NAME_BYTES) name = name.replace(/^(?:.\.*)/u, '')
  return name === '' ? 'file' : name
}

const PICTURE = /\.(?:png|jpe?g|gif|bmp|tiff?|ico|webp|svg)$/i

export function presentAttachment({ name, path, branch }: WikiAttachment) {
  const mark = PICTURE.test(name) ? '!' : ''
  const title = name.replace(/\.[^.]*$/, '') || name
  return {
    file_name: name,
    file_path: path,
    branch,
    link: { url: path, markdown: `${mark}[${mark === '' ? name : title}](${path})` },
  }
}

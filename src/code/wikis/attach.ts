import type { FastifyRequest } from 'fastify'
import type { UploadedFile } from '#platform/http/schema.ts'
import { invalid } from '#platform/refusals.ts'
import { markdownOf, safeFileName } from '#planning/uploads/file-name.ts'
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

export const presentAttachment = ({ name, path, branch }: WikiAttachment) => ({
  file_name: name,
  file_path: path,
  branch,
  link: { url: path, markdown: markdownOf(name, path) },
})

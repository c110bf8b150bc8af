import { isUtf8 } from 'node:buffer'
import { RepositoryFile } from '#code/files/entity.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'

/** Bytes of a file that a form holds. */
const MOST_BYTES = 1024 * 1024

/** A file that somebody is about to change. */
export interface EditableFile {
  readonly lastCommit: string
  /** Undefined for what a form would not send back as it was; it is replaced as a whole. */
  readonly text: string | undefined
  /** Why there is no text. */
  readonly because: string
  /** Whether all lines end as on Windows. A browser sends those of any text so. */
  readonly hasCarriageReturns: boolean
}

/** Undefined where there is no file. */
export async function editableFile(
  api: Api,
  project: EitherProject,
  at: { readonly ref: string; readonly path: string },
): Promise<EditableFile | undefined> {
  const address = path`/projects/${project.id}/repository/files/${at.path}`
  const head = await api.findHead(address, { ref: at.ref })
  if (head === undefined) return undefined
  const without = (because: string): EditableFile => ({
    lastCommit: head.get('x-gitlab-last-commit-id') ?? '',
    text: undefined,
    because,
    hasCarriageReturns: false,
  })
  if (Number(head.get('x-gitlab-size')) > MOST_BYTES)
    return without('The file is too large to be changed here.')
  const { content, last_commit_id } = await api.get(RepositoryFile, address, { ref: at.ref })
  const bytes = Buffer.from(content, 'base64')
  if (!isUtf8(bytes) || bytes.includes(0)) return without('The file is not text.')
  const text = bytes.toString()
  const ends = new Set(text.match(/\r\n|\r|\n/g))
  if (ends.size > 1 || ends.has('\r'))
    return without('The lines of the file end in different ways, which a form would lose.')
  return { lastCommit: last_commit_id, text, because: '', hasCarriageReturns: ends.has('\r\n') }
}

import { Invalid } from '#platform/refusals.ts'
import type { FileAction } from './file-commits.ts'

type Parameters = Readonly<Record<string, unknown>>

/** A new file with what was typed. */
export const creating = ({ file_path, content }: Parameters): FileAction => ({
  action: { action: 'create', file_path, content: lines(content) },
  says: 'The file is there.',
  at: pathIn(file_path),
})

/** A new file that was uploaded. It keeps its name. */
export function uploading({ folder, file }: Parameters): FileAction {
  const { filename, content } = uploaded(file)
  const above = typeof folder === 'string' ? folder.replaceAll(/^\/+|\/+$/g, '') : ''
  const file_path = above === '' ? filename : `${above}/${filename}`
  return {
    action: { action: 'create', file_path, content, encoding: 'base64' },
    says: 'The file is there.',
    at: file_path,
  }
}

/** Other content, another path, or both. @param before the path of the file */
export const changing =
  (before: string) =>
  ({ file_path, content, line_ends, last_commit_id }: Parameters): FileAction => {
    const text = lines(content, line_ends === 'crlf')
    const changed = { last_commit_id, ...(text !== undefined && { content: text }) }
    if (file_path === before)
      return { action: { action: 'update', file_path, ...changed }, says: 'The file is changed.', at: before }
    const action = { action: 'move', file_path, previous_path: before, ...changed }
    return { action, says: 'The file is moved.', at: pathIn(file_path) }
  }

/** An upload instead of what is at a path. */
export const replacing =
  (file_path: string) =>
  ({ file, last_commit_id }: Parameters): FileAction => ({
    action: {
      action: 'update',
      file_path,
      content: uploaded(file).content,
      encoding: 'base64',
      last_commit_id,
    },
    says: 'The file is replaced.',
    at: file_path,
  })

export const deleting =
  (file_path: string) =>
  ({ last_commit_id }: Parameters): FileAction => ({
    action: { action: 'delete', file_path, last_commit_id },
    says: 'The file is deleted.',
    at: undefined,
  })

function lines(content: unknown, hasCarriageReturns = false): string | undefined {
  if (typeof content !== 'string') return undefined
  return hasCarriageReturns ? content.replaceAll('\n', '\r\n') : content
}

/** Where the API puts a file. */
const pathIn = (typed: unknown): string =>
  typeof typed === 'string'
    ? typed
        .split('/')
        .filter((part) => part !== '')
        .join('/')
    : ''

/** @throws 400 where no file was chosen */
function uploaded(file: unknown): { readonly filename: string; readonly content: string } {
  if (typeof file === 'object' && file !== null && 'data' in file && 'filename' in file) {
    const { data, filename } = file
    const name = typeof filename === 'string' ? (filename.split(/[/\\]/).at(-1) ?? '') : ''
    if (Buffer.isBuffer(data) && name !== '') return { filename: name, content: data.toString('base64') }
  }
  throw new Invalid({ file: ['was not chosen'] })
}

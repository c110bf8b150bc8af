import { hash } from 'node:crypto'
import type { Html } from '#platform/http/html.ts'
import type { DiffLine } from './diff-lines.ts'

/** What stands at the lines of files on a page besides them. */
export interface AtLines {
  /** What the address of the form for a comment on a line begins and ends with; undefined where the visitor may not comment. */
  readonly link?: readonly [before: string, after: string] | undefined
  /** What stands below lines, by their keys, and above the lines of a file, by the key of the file. */
  readonly below: ReadonlyMap<string, readonly Html[]>
}

/** Names a file on a page. It stays the same when others come before it. */
export const keyOf = ({ new_path }: { readonly new_path: string }): string =>
  hash('sha1', new_path, 'hex').slice(0, 8)

/** Names a line of a file: as the API's line codes, but short, and 0 for a number that it does not have. */
export const lineKey = (
  file: string,
  { before = 0, after = 0 }: Pick<DiffLine, 'before' | 'after'>,
): string => `${file}_${before}_${after}`

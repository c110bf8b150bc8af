import type { Repository } from '#code/git/repository.ts'
import { records } from '#code/git/tree.ts'
import { MOST_FILES } from './parameters.ts'

export interface SnippetFile {
  readonly path: string
  /** Bytes; 0 for what is no blob. */
  readonly size: number
}

/** Lists the files of a commit, with one process. @returns undefined when there are more than a snippet may have */
export async function listFiles(repository: Repository, commit: string): Promise<SnippetFile[] | undefined> {
  const process = await repository.git.start(repository, ['ls-tree', '-r', '-l', '-z', commit], {
    time: 30_000,
  })
  process.stdin.end()
  const files: SnippetFile[] = []
  for await (const record of records(process.output())) {
    if (files.length === MOST_FILES) return undefined
    files.push(readRecord(record.toString('utf8')))
  }
  return files
}

/** Reads `100644 blob <id>    <size>\t<path>`. */
function readRecord(text: string): SnippetFile {
  const tab = text.indexOf('\t')
  const size = Number(text.slice(0, tab).split(/ +/)[3])
  return { path: text.slice(tab + 1), size: Number.isNaN(size) ? 0 : size }
}

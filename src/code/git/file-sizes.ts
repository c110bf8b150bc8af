import { records } from './tree.ts'
import type { Repository } from './repository.ts'

export interface SizedFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
}

/** The files of a commit with their sizes, without symbolic links and submodules; one process. The first `most` alone. */
export async function* sizedFiles(
  repository: Repository,
  commit: string,
  most: number,
): AsyncGenerator<SizedFile> {
  const args = ['ls-tree', '-r', '-z', '--format=%(objectmode) %(objectsize) %(path)', commit]
  const process = await repository.git.start(repository, args, { time: 30_000 })
  process.stdin.end()
  let passed = 0
  for await (const record of records(process.output())) {
    passed += 1
    if (passed > most) return
    const [, size, path] = /^100\d{3} (\d+) (.*)$/s.exec(record.toString('utf8')) ?? []
    if (size !== undefined && path !== undefined) yield { path, size: Number(size) }
  }
}

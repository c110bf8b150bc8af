import { readObject } from '#code/git/objects.ts'
import { objectAt } from '#code/git/tree.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import type { ShownInclude } from '../configuration.ts'
import type { IncludeAnswer } from '../includes.ts'
import { MOST_BYTES } from '../yaml.ts'
import type { Tree } from './trees.ts'

/** A file of a repository, as it was asked for. */
export type WantedFile =
  | { readonly type: 'local'; readonly tree: Tree; readonly path: string }
  | {
      readonly type: 'file'
      readonly tree: Tree
      readonly path: string
      readonly project: string
      readonly ref: string | null
    }

/**
 * Reads files of repositories. Each repository has one long-lived process for all of them.
 * @param take whether there is room for so many bytes
 */
export async function readFiles(
  { site }: Pick<JobServices, 'site'>,
  wanted: readonly WantedFile[],
  take: (bytes: number) => boolean,
): Promise<IncludeAnswer[]> {
  const found = await Promise.all(wanted.map(({ tree, path }) => objectAt(tree.repository, tree.sha, path)))
  return Promise.all(
    wanted.map(async (file, index): Promise<IncludeAnswer> => {
      const { tree } = file
      const object = found[index]
      if (object?.type !== 'blob') return { error: `${nameOf(file)} does not exist!` }
      if (object.size === 0) return { error: `${nameOf(file)} is empty!` }
      if (object.size > MOST_BYTES) return { error: `${nameOf(file)} is too large!` }
      if (!take(object.size)) return { error: 'Total size of all included files exceeds the limit' }
      const read = await readObject(tree.repository, object.id)
      if (read === undefined) return { error: `${nameOf(file)} does not exist!` }
      return {
        files: [{ text: read.content.toString('utf8'), tree: tree.name, shown: shown(file, site()) }],
      }
    }),
  )
}

const nameOf = (file: WantedFile): string =>
  file.type === 'local' ? `Local file \`${file.path}\`` : `Project \`${file.project}\` file \`${file.path}\``

function shown(file: WantedFile, site: string): ShownInclude {
  const { type, tree, path } = file
  const clean = path.replace(/^\/+/, '')
  const address = (kind: 'blob' | 'raw'): string =>
    `${site}/${tree.project}/-/${kind}/${tree.sha}/${clean.split('/').map(encodeURIComponent).join('/')}`
  return {
    type,
    location: path,
    blob: address('blob'),
    raw: address('raw'),
    extra: type === 'file' ? { project: file.project, ref: file.ref ?? 'HEAD' } : {},
    contextProject: tree.project,
    contextSha: tree.sha,
  }
}

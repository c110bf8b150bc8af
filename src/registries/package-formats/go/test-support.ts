import { HOST } from '#code/go-get/test-support.ts'
import { type Place, w } from '#test/world.ts'

export { HOST }

/** Commits files to the main branch of a project, and tags the commit. */
export async function tagged(
  { id }: Pick<Place, 'id'>,
  tag: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const { body: tree } = await w.root.get(`/projects/${id}/repository/tree?recursive=true&per_page=100`)
  const there = new Set(Array.isArray(tree) ? tree.map(({ path }: { path: string }) => path) : [])
  const { status, body } = await w.root.post(`/projects/${id}/repository/commits`, {
    branch: 'main',
    commit_message: `Begin ${tag}`,
    actions: Object.entries(files).map(([file_path, content]) => ({
      action: there.has(file_path) ? 'update' : 'create',
      file_path,
      content,
    })),
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  await w.root.post(`/projects/${id}/repository/tags`, { tag_name: tag, ref: 'main' })
}

/** The address of what a proxy says of the module of a project. */
export const goModule = (
  { id, fullPath }: Pick<Place, 'id' | 'fullPath'>,
  rest: string,
  below = '',
): string => `/projects/${id}/packages/go/${HOST}/${fullPath}${below}/@${rest}`

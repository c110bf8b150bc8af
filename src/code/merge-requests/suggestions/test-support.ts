import type { Client } from '#test/client.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import type { ContainerOptions } from '#test/world.ts'

export const TEN = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`)
export const code = (lines: readonly string[] = TEN): string => lines.join('')

/** A merge request that adds `code.txt`, which has ten lines. */
export async function suggestible(options?: ContainerOptions) {
  const p = await branchedProject(options)
  const commits = `/projects/${p.id}/repository/commits`
  /** Commits files to the source branch. */
  const commit = async (files: Record<string, string>, action = 'update', encoding = 'text') => {
    const actions = Object.entries(files).map(([file_path, content]) => ({
      action,
      file_path,
      content,
      encoding,
    }))
    const asked = { branch: 'feature', commit_message: 'Change', actions }
    const { status, body, text } = await p.developer.post(commits, asked)
    if (status !== 201) throw new Error(text)
    return body.id
  }
  await commit({ 'code.txt': code(), 'more.txt': code() }, 'create')
  const { path, body } = await openMergeRequest(p, p.developer)
  const discussions = `${path}/discussions`
  const on = (new_line: number | null, more: object = {}) => ({
    position: {
      ...body.diff_refs,
      position_type: 'text',
      old_path: 'code.txt',
      new_path: 'code.txt',
      new_line,
      ...more,
    },
  })
  /** Suggests something on a line. @returns the note */
  const suggest = async (by: Client, line: number, text: string, more: object = {}) => {
    const made = await by.post(discussions, { body: block(text), ...on(line, more) })
    if (made.status !== 201) throw new Error(made.text)
    const [note] = made.body.notes
    const [suggestion] = note.suggestions
    return {
      note,
      suggestion,
      id: suggestion?.id,
      discussion: `${discussions}/${made.body.id}`,
      apply: `/suggestions/${suggestion?.id}/apply`,
    }
  }
  const fileNow = async (name = 'code.txt') =>
    (await p.developer.get(`/projects/${p.id}/repository/files/${name}/raw?ref=feature`)).text
  const tip = async () => (await p.developer.get(`${commits}/feature`)).body
  const suggestionsOf = async (discussion: string) => {
    const { body: read } = await p.developer.get(discussion)
    return read.notes.flatMap(({ suggestions = [] }: { suggestions?: unknown[] }) => suggestions)
  }
  return { ...p, path, body, discussions, on, suggest, commit, fileNow, tip, suggestionsOf }
}

export type Suggestible = Awaited<ReturnType<typeof suggestible>>

/** A block that suggests lines. */
export const block = (text: string, around = ''): string => `\`\`\`suggestion${around}\n${text}\`\`\``

/** The ten lines, some of them others. */
export const codeWith = (others: Record<number, string>): string =>
  code(TEN.map((line, index) => others[index + 1] ?? line))

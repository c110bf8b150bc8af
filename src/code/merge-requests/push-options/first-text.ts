import { log } from '#code/git/history.ts'
import { objectInfo } from '#code/git/objects.ts'
import { tipOf } from '../branches.ts'
import type { PushedBranch } from './pushed-branch.ts'

/** Characters of a title. */
const LONGEST = 255

interface FirstText {
  readonly title: string
  readonly description?: string
}

/** The text of a merge request for which nobody has written one: that of its only commit, or else the name of the branch. */
export async function firstText(
  { push: { services }, source: { project, branch } }: Pick<PushedBranch, 'push' | 'source'>,
  targetBranch: string,
): Promise<FirstText> {
  const repository = await services.repositories.ofProject(project)
  const [head, target] = await Promise.all([tipOf(repository, branch), tipOf(repository, targetBranch)])
  const known = repository !== undefined && target !== undefined && (await objectInfo(repository, target))
  const commits =
    repository === undefined || head === undefined
      ? []
      : await log(repository, { from: [head], ...(known && { not: [target] }) }, { skip: 0, limit: 2 })
  const [only, ...more] = commits
  if (only === undefined || more.length > 0 || only.title.trim() === '') return { title: nameAsTitle(branch) }
  const description = only.message.slice(only.message.indexOf('\n') + 1).trim()
  const hasMore = only.message.trim().includes('\n') && description !== ''
  return { title: only.title.slice(0, LONGEST), ...(hasMore && { description }) }
}

/** `fix-the_parser` as a title: `Fix the parser`. */
function nameAsTitle(branch: string): string {
  const words = branch.replace(/[-_\s]+/g, ' ').trim()
  return words === '' ? branch : (words.charAt(0).toUpperCase() + words.slice(1)).slice(0, LONGEST)
}

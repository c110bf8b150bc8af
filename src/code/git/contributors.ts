import type { Repository } from './repository.ts'

/** Somebody by the name and address in their commits. */
export interface Contributor {
  readonly name: string
  readonly email: string
  readonly commits: number
}

/** Who wrote the commits that a commit reaches, merges left out, in no particular order. */
export async function contributors(repository: Repository, commit: string): Promise<Contributor[]> {
  const args = ['shortlog', '--summary', '--email', '--no-merges', commit, '--']
  const text = await repository.git.text(repository, args)
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\t(.*) <([^>]*)>$/.exec(line)
    const [, commits, name, email] = match ?? []
    return commits === undefined || name === undefined || email === undefined
      ? []
      : [{ name, email, commits: Number(commits) }]
  })
}

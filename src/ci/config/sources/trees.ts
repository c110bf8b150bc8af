import type { StoredRepository } from '#code/repositories/rows.ts'

/** A repository at a commit, where files of a configuration come from. */
export interface Tree {
  readonly repository: StoredRepository
  readonly sha: string
  readonly fullPath: string
}

/** Trees by the names that the reader has for them. */
export class Trees {
  readonly #all: Tree[] = []

  /** @returns the name of a tree */
  name(tree: Tree): string {
    const known = this.#all.findIndex(
      ({ repository, sha }) => repository.row.id === tree.repository.row.id && sha === tree.sha,
    )
    if (known >= 0) return String(known)
    this.#all.push(tree)
    return String(this.#all.length - 1)
  }

  get(name: string): Tree | undefined {
    return this.#all[Number(name)]
  }
}

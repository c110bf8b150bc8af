import { isObjectId, isReferenceName, BRANCHES } from '#code/git/names.ts'
import { makeFolder } from '#code/repositories/make-repository.ts'
import type { Repositories } from '#code/repositories/repositories.ts'
import { findRowById } from '#code/repositories/rows.ts'
import type { Repository } from '#code/git/repository.ts'
import { BackupDamaged } from './errors.ts'
import { streamNames } from './header.ts'
import type { ReadPart } from './read-archive.ts'

/** Milliseconds that a pack may take to be written. */
const TIME = 12 * 3_600_000

/** Makes repositories of the streams of a backup: first come the references, then the objects. */
export class RepositoryLoader {
  readonly #repositories: Repositories
  #waiting: { readonly repository: Repository; readonly references: string } | undefined

  constructor(repositories: Repositories) {
    this.#repositories = repositories
  }

  async load({ name, content }: ReadPart): Promise<void> {
    const [id = '', kind] = name.slice(streamNames.repositories.length).split('/')
    if (kind === 'references') {
      await this.finish()
      await this.#begin(Number(id), content)
      return
    }
    const { repository } = this.#waiting ?? {}
    if (kind !== 'pack' || repository?.id !== Number(id))
      throw new BackupDamaged(`the backup is damaged: ${name} is out of order`)
    await repository.git.capture(repository, ['index-pack', '--stdin', '--fix-thin'], {
      lane: 'write',
      input: content,
      time: TIME,
    })
  }

  /** Sets the references of the last repository, whose objects are there now. */
  async finish(): Promise<void> {
    if (this.#waiting === undefined) return
    const { repository, references } = this.#waiting
    this.#waiting = undefined
    if (references === '') return
    await repository.git.capture(repository, ['update-ref', '--no-deref', '--stdin', '-z'], {
      lane: 'write',
      input: references,
      time: TIME,
    })
    await repository.git.capture(repository, ['pack-refs', '--all'], { lane: 'write', time: TIME })
  }

  async #begin(id: number, content: AsyncIterable<Buffer>): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of content) pieces.push(piece)
    const [head = '', ...lines] = Buffer.concat(pieces).toString('utf8').split('\n')
    const commands = lines
      .filter((line) => line !== '')
      .map((line) => {
        const [object, name] = [line.slice(0, 40), line.slice(41)]
        if (!isObjectId(object) || !isReferenceName(name))
          throw new BackupDamaged(`the backup is damaged: the references of repository ${id} cannot be read`)
        return `create ${name}\0${object}\0`
      })
    const row = await findRowById(this.#repositories.source.db, id)
    if (row === undefined)
      throw new BackupDamaged(`the backup is damaged: no row tells of the repository ${id}`)
    const { folder } = await this.#repositories.locationOf(row)
    const { git } = this.#repositories
    await makeFolder(git, folder, head)
    const repository = { id, folder, git }
    await git.capture(repository, ['symbolic-ref', 'HEAD', BRANCHES + head], { lane: 'write' })
    this.#waiting = { repository, references: commands.join('') }
  }
}

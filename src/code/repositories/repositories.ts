import { join } from 'node:path'
import type { Log } from '#platform/context.ts'
import { transact, type TransactionSource } from '#platform/db/transaction.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import type { Location } from '#code/git/processes/location.ts'
import type { Git } from '#code/git/processes/git.ts'
import { RepositoryMissing } from '#code/git/errors.ts'
import type { Holder } from './holder.ts'
import { insertRepository, isFolder, makeFolder } from './make-repository.ts'
import {
  type CurrentRow,
  findCurrentRow,
  findRow,
  type RepositoryOwner,
  type RepositoryRow,
  type StoredRepository,
} from './rows.ts'
import type { Storages } from './storages.ts'
import { Turns } from './turns.ts'

export interface RepositoriesOptions {
  readonly source: TransactionSource
  readonly git: Git
  readonly storages: Storages
  readonly holder: Holder
  readonly log: Log
  readonly settings: () => Settings
}

/**
 * The repositories of the instance. Features ask in terms of projects, references and objects: they find a
 * repository here and read it with the functions of `src/code/git`. References change by `changeReferences` alone.
 */
export class Repositories {
  readonly source: TransactionSource
  readonly git: Git
  readonly storages: Storages
  readonly holder: Holder
  readonly log: Log
  readonly settings: () => Settings
  /** Changes of one repository happen one after the other in a process. */
  readonly turns: Turns

  constructor(options: RepositoriesOptions, turns = new Turns()) {
    this.source = options.source
    this.git = options.git
    this.storages = options.storages
    this.holder = options.holder
    this.log = options.log
    this.settings = options.settings
    this.turns = turns
  }

  /** The same repositories, over other connections to the database: for jobs. */
  on(source: TransactionSource): Repositories {
    const { git, storages, holder, log, settings } = this
    return new Repositories({ source, git, storages, holder, log, settings }, this.turns)
  }

  /**
   * Finds a repository. Undefined when it has no folder yet because nothing was ever written: then it is empty.
   * @throws 503 when its storage is not there.
   */
  async find(owner: RepositoryOwner): Promise<StoredRepository | undefined> {
    const row = await findRow(this.source.db, owner)
    return row === undefined || row.made_at === null ? undefined : this.open(row)
  }

  /** The repository of a project. */
  ofProject(project: number): Promise<StoredRepository | undefined> {
    return this.find({ kind: 'project', project })
  }

  /** The repository of a row whose folder is made. @throws 503 when its storage is not there */
  async open(row: RepositoryRow): Promise<StoredRepository> {
    return { id: row.id, ...(await this.locationOf(row)), git: this.git, row }
  }

  async locationOf({
    storage,
    relative_path,
  }: Pick<RepositoryRow, 'storage' | 'relative_path'>): Promise<Location> {
    return { folder: join(await this.storages.pathOf(storage), relative_path) }
  }

  /**
   * Finds a repository that is about to be written, and makes it if need be, outside of transactions.
   * @param defaultBranch the branch that its first push creates if it can; by default that of the settings.
   */
  async ensure(owner: RepositoryOwner, defaultBranch?: string): Promise<StoredRepository> {
    const found = await findRow(this.source.db, owner)
    if (found !== undefined && found.made_at !== null) return this.open(found)
    return this.make(found ?? (await this.#insert(owner)), defaultBranch ?? this.defaultBranch)
  }

  /** Makes the folder of a row. */
  async make(row: RepositoryRow, defaultBranch: string): Promise<StoredRepository> {
    const { folder } = await this.locationOf(row)
    await makeFolder(this.git, folder, defaultBranch)
    return this.open(await this.#noteMade(row))
  }

  /** The name of the first branch of a new repository. */
  get defaultBranch(): string {
    return this.settings().default_branch_name ?? 'main'
  }

  /** Fails for a repository whose folder is lost, before git does so in other words. @throws 503 */
  async assertThere({ folder }: Location): Promise<void> {
    if (!(await isFolder(folder))) throw new RepositoryMissing(new Error(`${folder} is not there`))
  }

  /** Whether the row, and so its owner, is still there. @returns the row as it is now */
  reload({ id }: Pick<RepositoryRow, 'id'>): Promise<CurrentRow | undefined> {
    return findCurrentRow(this.source.db, id)
  }

  #insert(owner: RepositoryOwner): Promise<RepositoryRow> {
    const storage = this.storages.choose(this.settings().repository_storages_weighted)
    return transact(this.source, { author: null, ip: null }, (tx) => insertRepository(tx, owner, storage))
  }

  /** Removes all folders, when an ephemeral instance forgets its rows. */
  async clear(): Promise<void> {
    this.git.readers.close()
    await this.storages.clear()
  }

  /** Ends all processes and gives up the lock of this process. */
  async close(): Promise<void> {
    await this.git.close()
    await this.holder.close()
  }

  async #noteMade(row: RepositoryRow): Promise<RepositoryRow> {
    const made_at = this.source.clock.now().toISOString()
    await this.source.db
      .updateTable('repositories')
      .set({ made_at })
      .where('id', '=', row.id)
      .where('made_at', 'is', null)
      .execute()
    return { ...row, made_at }
  }
}

import { open, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder } from '#platform/make-folder.ts'
import type { Config } from '#platform/config/config.ts'
import type { Log, Randomness } from '#platform/context.ts'
import type { Db } from '#platform/db/pool.ts'
import { meaningOfDiskError, RepositoryMissing } from '#code/git/errors.ts'
import { syncFolder } from '#code/git/sync-folder.ts'

/** The storage that every instance has. It lies below the data folder unless the configuration names another place. */
export const DEFAULT_STORAGE = 'default'

/** The file in each storage that tells it from others. */
const ID_FILE = '.forgelet-storage'

/** Milliseconds after which a storage is looked at again: when somebody needs one that was not usable, or asks about all. */
const AGAIN = 5_000

interface Storage {
  readonly name: string
  readonly path: string
  /** Why it cannot be used; undefined while it can. */
  problem: string | undefined
  checked: number
}

export type StorageState = Readonly<Pick<Storage, 'name' | 'path' | 'problem'>>

export interface StoragesOptions {
  readonly config: Pick<Config, 'data' | 'storages'>
  readonly db: Db
  readonly random: Randomness
  readonly log: Log
}

/** The folders that hold repositories, by name. */
export class Storages {
  readonly #options: StoragesOptions
  readonly #storages: ReadonlyMap<string, Storage>

  constructor(options: StoragesOptions) {
    this.#options = options
    const { data, storages } = options.config
    const named = new Map([[DEFAULT_STORAGE, join(data, 'repositories')], ...storages])
    this.#storages = new Map(
      [...named].map(([name, path]) => [name, { name, path, problem: 'it was not checked yet', checked: 0 }]),
    )
  }

  /** Their names, as the configuration has them. */
  get names(): readonly string[] {
    return [...this.#storages.keys()]
  }

  /** Whether any of them could be used when they were last looked at. */
  get someWork(): boolean {
    return [...this.#storages.values()].some(({ problem }) => problem === undefined)
  }

  /** Each with its folder, and why it cannot be used now, if so. */
  async states(): Promise<readonly StorageState[]> {
    for (const storage of this.#storages.values()) if (isDue(storage)) await this.#check(storage)
    return [...this.#storages.values()].map(({ name, path, problem }) => ({ name, path, problem }))
  }

  /** Looks at them again. @returns what is wrong, in words; undefined when all can be used */
  async problem(): Promise<string | undefined> {
    const problems = (await this.states()).flatMap(({ name, problem }) =>
      problem === undefined ? [] : [`${name}: ${problem}`],
    )
    return problems.length === 0 ? undefined : problems.join('; ')
  }

  /** Checks all storages. Those that cannot be used are logged, and looked at again when somebody needs them. */
  async check(): Promise<void> {
    for (const storage of this.#storages.values()) await this.#check(storage)
  }

  /**
   * The folder of a storage.
   * @throws {RepositoryMissing} when the configuration does not name it, or it is not the one that the instance uses.
   */
  async pathOf(name: string): Promise<string> {
    const storage = this.#storages.get(name)
    if (storage === undefined) {
      throw new RepositoryMissing(new Error(`FORGELET_STORAGES does not name the storage "${name}"`))
    }
    if (storage.problem !== undefined && performance.now() - storage.checked > AGAIN)
      await this.#check(storage)
    if (storage.problem !== undefined) {
      throw new RepositoryMissing(new Error(`storage "${name}" at ${storage.path}: ${storage.problem}`))
    }
    return storage.path
  }

  /** Removes all repositories: for tests that deleted the rows. */
  async clear(): Promise<void> {
    for (const { path } of this.#storages.values()) {
      const names = (await readdir(path)).filter((name) => name !== ID_FILE)
      await Promise.all(names.map((name) => rm(join(path, name), { recursive: true, force: true })))
    }
  }

  /**
   * Chooses the storage of a new repository at random, by the weights of the setting. A storage that it does not name
   * has the weight 0, and so has one that the configuration does not name. Without any, it is the default one.
   */
  choose(weights: Readonly<Record<string, unknown>>): string {
    return this.pick(weights) ?? DEFAULT_STORAGE
  }

  /** The same, undefined when no storage has a weight. @param without the name of one that is left out */
  pick(weights: Readonly<Record<string, unknown>>, without?: string): string | undefined {
    const candidates = this.names.flatMap((name) => {
      const weight = Number(weights[name] ?? 0)
      return weight > 0 && name !== without ? [{ name, weight }] : []
    })
    const total = candidates.reduce((sum, { weight }) => sum + weight, 0)
    let at = (this.#options.random.bytes(4).readUInt32BE() / 2 ** 32) * total
    for (const { name, weight } of candidates) {
      at -= weight
      if (at < 0) return name
    }
    return undefined
  }

  async #check(storage: Storage): Promise<void> {
    const before = storage.problem
    storage.checked = performance.now()
    storage.problem = await this.#problemOf(storage)
    if (storage.problem === undefined || storage.problem === before) return
    const { name, path, problem } = storage
    this.#options.log.error({ storage: name, path }, `a storage of repositories cannot be used: ${problem}`)
  }

  /** Compares the id in the folder with the one that the instance knows. A storage that is new to it gets one. */
  async #problemOf({ name, path }: Storage): Promise<string | undefined> {
    const { db } = this.#options
    try {
      const known = await idOf(db, name)
      const found = await readId(path)
      if (known !== undefined) {
        if (known === found) return undefined
        return found === undefined
          ? `there is no ${ID_FILE}; mount the disk that belongs here`
          : `its ${ID_FILE} is that of another storage; mount the disk that belongs here`
      }
      const id = found ?? (await writeId(path, this.#options.random.bytes(16).toString('hex')))
      await db
        .insertInto('repository_storages')
        .values({ name, id })
        .onConflict((oc) => oc.doNothing())
        .execute()
      return (await idOf(db, name)) === id ? undefined : 'another node uses another folder under this name'
    } catch (error) {
      return meaningOfDiskError(error).message
    }
  }
}

const isDue = ({ checked }: Storage): boolean => performance.now() - checked > AGAIN

async function idOf(db: Db, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('repository_storages')
    .select('id')
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.id
}

async function readId(path: string): Promise<string | undefined> {
  try {
    return (await readFile(join(path, ID_FILE), 'utf8')).trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Of several processes that start at once, the first one's id counts. */
async function writeId(path: string, id: string): Promise<string> {
  await makeFolder(path, 0o700)
  try {
    const file = await open(join(path, ID_FILE), 'wx', 0o600)
    try {
      await file.writeFile(`${id}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await syncFolder(path)
    await syncFolder(dirname(path))
    return id
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    return (await readId(path)) ?? id
  }
}

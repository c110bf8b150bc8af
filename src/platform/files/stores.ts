import { join } from 'node:path'
import type { Config } from '#platform/config/config.ts'
import { DiskStore } from './disk-store.ts'
import { StoreUnavailable } from './errors.ts'
import type { Storage, Store } from './store.ts'

/** The stores that the configuration names. */
export class Stores {
  readonly disk: DiskStore
  /** The store for new files. */
  readonly current: Storage
  /** The stores that can be read. */
  readonly available: readonly Storage[]
  readonly #config: Config
  #s3: Promise<Store> | undefined

  constructor(config: Config) {
    this.#config = config
    this.disk = new DiskStore(join(config.data, 'files'))
    this.current = config.blobs === undefined || config.blobs.readOnly ? 'disk' : 's3'
    this.available = config.blobs === undefined ? ['disk'] : ['disk', 's3']
  }

  /** @throws {StoreUnavailable} when the configuration does not name that store. */
  async of(storage: Storage): Promise<Store> {
    return storage === 'disk' ? this.disk : await (this.#s3 ??= openS3(this.#config))
  }
}

/** Loads the client only where S3 is configured, and only when it is needed. */
async function openS3({ blobs, blobsAccessKey, blobsSecret }: Config): Promise<Store> {
  if (blobs === undefined || blobsAccessKey === undefined || blobsSecret === undefined) {
    throw new StoreUnavailable(new Error('The file is in S3, and FORGELET_BLOBS does not say where that is'))
  }
  const { S3Store } = await import('./s3/s3-store.ts')
  return new S3Store({ ...blobs, accessKey: blobsAccessKey, secret: blobsSecret })
}

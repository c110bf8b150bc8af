import { Readable } from 'node:stream'
import { StoreUnavailable } from '../errors.ts'
import type { ByteRange, SignedAnswer, Store } from '../store.ts'
import { readOn } from './download.ts'
import { S3Client, type S3Options, S3Refusal, unlessMissing } from './client.ts'
import { abortUploads, upload } from './upload.ts'

/** Keeps bytes as objects of a bucket. */
export class S3Store implements Store {
  readonly #client: S3Client

  constructor(options: S3Options) {
    this.#client = new S3Client(options)
  }

  async write(key: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const name = this.#nameOf(key)
    await explained(async () => {
      const size = await upload(this.#client, name, content)
      if (await this.has(key, size)) return
      throw new StoreUnavailable(new Error(`S3 does not have the ${size} bytes that were sent`))
    })
  }

  async read(key: string, range?: ByteRange): Promise<Readable | undefined> {
    const name = this.#nameOf(key)
    return await explained(async () => {
      const content = await readOn(this.#client, name, range)
      return content && Readable.from(content, { objectMode: false })
    })
  }

  async has(key: string, size: number): Promise<boolean> {
    const name = this.#nameOf(key)
    return await explained(async () => {
      const found = await unlessMissing(this.#client.request({ method: 'HEAD', key: name }))
      return Number(found?.headers.get('content-length')) === size
    })
  }

  async remove(key: string): Promise<void> {
    const name = this.#nameOf(key)
    await explained(async () => {
      await this.#client.text({ method: 'DELETE', key: name })
      await abortUploads(this.#client, name)
    })
  }

  async signedUrl(key: string, { mediaType, disposition }: SignedAnswer): Promise<string | undefined> {
    if (!this.#client.options.signedUrls) return undefined
    return await this.#client.signedUrl(this.#nameOf(key), {
      'response-content-type': mediaType,
      'response-content-disposition': disposition,
    })
  }

  #nameOf(key: string): string {
    const { prefix } = this.#client.options
    return prefix === '' ? key : `${prefix}/${key}`
  }
}

/** Our clients cannot fix a refusal of S3, so it becomes a failure of the store. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof S3Refusal ? new StoreUnavailable(error) : error
  }
}

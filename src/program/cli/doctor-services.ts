import type { Config } from '#platform/config/config.ts'
import { Stores } from '#platform/files/stores.ts'
import { createLog } from '#platform/log.ts'
import { openMailServer } from '#platform/mail/open-mail-server.ts'
import { type CheckFinding, note, ok, reason, wrong } from './finding.ts'

/** A key that no file has. */
const NO_KEY = `00/${'0'.repeat(30)}`
/** Milliseconds for an answer. */
const PATIENCE = 5_000

/** Asks the S3-compatible server for a file that is not there. */
export async function examineS3(config: Config): Promise<CheckFinding[]> {
  if (config.blobs === undefined) return []
  try {
    await (await new Stores(config).of('s3')).has(NO_KEY, 0)
    return [ok('files', 'the S3-compatible server answers')]
  } catch (error) {
    return [wrong('files', `${reason(error)}. Check FORGELET_BLOBS, its access key and its secret`)]
  }
}

export async function examineRedis({ redisUrl }: Config): Promise<CheckFinding[]> {
  if (redisUrl === undefined) return []
  const { Redis } = await import('ioredis')
  const client = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: PATIENCE,
    commandTimeout: PATIENCE,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  let cause: unknown
  client.on('error', (error) => (cause = error))
  try {
    await client.connect()
    await client.ping()
    return [ok('Redis', 'it answers')]
  } catch (error) {
    return [wrong('Redis', `${reason(cause ?? error)}. Check FORGELET_REDIS_URL`)]
  } finally {
    client.disconnect()
  }
}

/** Signs in to the mail server. */
export async function examineMail(config: Config): Promise<CheckFinding[]> {
  const server = openMailServer(config, createLog('silent'))
  if (server === undefined) return [note('mail', 'off: FORGELET_SMTP_URL is not set')]
  try {
    await server.verify()
    return [ok('mail', 'the mail server lets this program in')]
  } catch (error) {
    return [wrong('mail', `${reason(error)}. Check FORGELET_SMTP_URL`)]
  } finally {
    await server.close()
  }
}

/** Where files are in S3, as `FORGELET_BLOBS` says it. */
export interface S3Address {
  readonly bucket: string
  /** The prefix of every key, without slashes around it; may be empty. */
  readonly prefix: string
  /** Without the bucket; undefined means Amazon's endpoint in the region. */
  readonly endpoint: string | undefined
  readonly region: string
  /** Whether the bucket is in the path instead of the host name. */
  readonly pathStyle: boolean
  /** Whether clients are redirected to a signed URL for the bytes. */
  readonly signedUrls: boolean
  /** Whether files are only read from here and new ones go to the disk. */
  readonly readOnly: boolean
  /** Seconds that the server may stay silent. */
  readonly timeout: number
}

const OPTIONS = new Set(['endpoint', 'region', 'path_style', 'signed_urls', 'read_only', 'timeout'])
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const PREFIX = /^[\w.-]+(?:\/[\w.-]+)*$/

/** Reads `s3://bucket/prefix?endpoint=…`. @returns undefined when it is anything else. */
export function readS3Address(text: string): S3Address | undefined {
  const found = /^s3:\/\/([^/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(text)
  if (found === null) return undefined
  const [, bucket = '', path = '', query = ''] = found
  const options = new URLSearchParams(query)
  const prefix = path.replace(/\/$/, '')
  const known = [...options.keys()].every((name) => OPTIONS.has(name) && options.getAll(name).length === 1)
  if (!known || !BUCKET.test(bucket) || (prefix !== '' && !PREFIX.test(prefix))) return undefined
  if (prefix.split('/').some((part) => part === '.' || part === '..')) return undefined
  const endpoint = options.get('endpoint') ?? undefined
  if (endpoint !== undefined && !isEndpoint(endpoint)) return undefined
  const region = options.get('region') ?? 'us-east-1'
  const timeout = Number(options.get('timeout') ?? 15)
  const pathStyle = flag(options.get('path_style'), endpoint !== undefined)
  const signedUrls = flag(options.get('signed_urls'), false)
  const readOnly = flag(options.get('read_only'), false)
  if (pathStyle === undefined || signedUrls === undefined || readOnly === undefined) return undefined
  if (!/^[a-z0-9-]{1,64}$/.test(region) || !Number.isInteger(timeout) || timeout < 1 || timeout > 600) {
    return undefined
  }
  return {
    bucket,
    prefix,
    endpoint: endpoint?.replace(/\/+$/, ''),
    region,
    pathStyle,
    signedUrls,
    readOnly,
    timeout,
  }
}

function flag(text: string | null, unset: boolean): boolean | undefined {
  if (text === null) return unset
  return text === 'true' ? true : text === 'false' ? false : undefined
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, search, hash, username } = new URL(text)
  return /^https?:$/.test(protocol) && search === '' && hash === '' && username === ''
}

import type { FastifyRequest } from 'fastify'

/** `Sentry sentry_version=7, sentry_key=…`, in any order. */
const HEADER = /(?:^|[\s,])sentry_key\s{0,3}=\s{0,3}([\w-]{1,128})/

/**
 * The public key that an SDK sends: in `X-Sentry-Auth`, in `Authorization`, or in the query, as browsers do. Undefined
 * where there is none; then the envelope may have the DSN.
 */
export function publicKeyOf({
  headers,
  query,
}: Pick<FastifyRequest, 'headers' | 'query'>): string | undefined {
  const inHeader = [headers['x-sentry-auth'], headers.authorization]
    .flatMap((header) => HEADER.exec(String(header ?? ''))?.[1] ?? [])
    .at(0)
  if (inHeader !== undefined) return inHeader
  const inQuery = typeof query === 'object' && query !== null && 'sentry_key' in query && query.sentry_key
  return typeof inQuery === 'string' && inQuery !== '' ? inQuery : undefined
}

/** The public key in a DSN; undefined when it cannot be read. */
export function publicKeyIn(dsn: unknown): string | undefined {
  const key = typeof dsn === 'string' && dsn.length <= 2048 ? URL.parse(dsn)?.username : undefined
  return key === undefined || key === '' ? undefined : key
}

import { createHash } from 'node:crypto'

/** What fits into the label of a host. */
const MAX_SLUG = 24
/** Of these, the characters before the suffix. */
const KEPT = 17
const SUFFIX = 6

/**
 * A name for addresses: lowercase letters, digits and `-`, with a letter first. A name that is not a slug itself gets a
 * suffix, always the same one.
 * @param attempt 0, or how many slugs of the name were taken before.
 */
export function slugOf(name: string, attempt = 0): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '-')
  const slug = (/^[a-z]/.test(plain) ? plain : `env-${plain}`).replaceAll(/-+/g, '-')
  if (slug === name && slug.length <= MAX_SLUG && attempt === 0) return slug.replace(/-$/, '')
  const start = slug.slice(0, KEPT)
  return `${start}${start.endsWith('-') ? '' : '-'}${suffixOf(attempt === 0 ? name : `${name} ${attempt}`)}`
}

function suffixOf(text: string): string {
  const digest = createHash('sha256').update(text).digest('hex')
  return BigInt(`0x${digest}`).toString(36).slice(-SUFFIX)
}

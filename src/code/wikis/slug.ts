import { leadsOut } from '#code/git/names.ts'
import { isMisleading, MISLEADING } from '#platform/misleading.ts'
import { invalid } from '#platform/refusals.ts'

/** The folder of attachments. Nothing in it is a page. */
export const UPLOADS = 'uploads'

/** Bytes of a whole slug, of the name of a page, and of that of a folder. With its extension, a name has 255 at most. */
const MAX_SLUG = 1_024
const MAX_NAME = 245
const MAX_FOLDER = 255

/**
 * Whether the path of a file, without its extension, is the slug of a page. Hidden files and folders are no pages, nor
 * are attachments and names that are no readable text.
 */
export function isSlug(path: string): boolean {
  const parts = path.split('/')
  return (
    Buffer.byteLength(path) <= MAX_SLUG &&
    !path.includes('\uFFFD') &&
    path.isWellFormed() &&
    // oxlint-disable-next-line no-control-regex
    !/[\0-\x1f\x7f]/.test(path) &&
    parts[0] !== UPLOADS &&
    parts.every((part) => part !== '' && !part.startsWith('.'))
  )
}

/** The title of a page: the last part of its slug, with spaces. */
export const titleOfSlug = (slug: string): string =>
  slug.slice(slug.lastIndexOf('/') + 1).replaceAll('-', ' ')

/**
 * The slug of a page with a title, in which slashes make folders and spaces become hyphens.
 * @throws 400 for titles that no file may have
 */
export function slugOf(title: string): string {
  const parts = title.split('/').map((part) => part.trim().replace(/\s+/g, ' '))
  const name = parts.at(-1) ?? ''
  const folders = parts.slice(0, -1)
  const slug = parts.join('/').replaceAll(' ', '-')
  if (slug === '') throw invalidTitle("can't be blank")
  if (Buffer.byteLength(name) > MAX_NAME) throw invalidTitle(`exceeds the limit of ${MAX_NAME} bytes`)
  if (folders.some((folder) => Buffer.byteLength(folder) > MAX_FOLDER))
    throw invalidTitle(`exceeds the limit of ${MAX_FOLDER} bytes for a directory`)
  if (Buffer.byteLength(slug) > MAX_SLUG) throw invalidTitle(`exceeds the limit of ${MAX_SLUG} bytes`)
  if (!isSlug(slug)) throw invalidTitle(FORM)
  if (isMisleading(slug)) throw invalidTitle(MISLEADING)
  if (leadsOut(slug)) throw invalidTitle('cannot lead out of its folder')
  return slug
}

/**
 * The slug of a page that gets another title. A title without a slash keeps the page in its folder; one that begins with a
 * slash takes it to the root.
 * @throws as {@link slugOf}
 */
export function movedSlug(slug: string, title: string): string {
  if (title.startsWith('/')) return slugOf(title.slice(1))
  const cut = slug.lastIndexOf('/')
  if (title.includes('/') || cut < 0) return slugOf(title)
  return `${slug.slice(0, cut)}/${slugOf(title)}`
}

const FORM = `cannot have control characters or empty parts, no part may begin with a dot, and the first may not be ${UPLOADS}`

const invalidTitle = (text: string) => invalid({ title: [text] })

/** The id that stands for no object, where a reference is created or deleted. */
export const NO_OBJECT = '0'.repeat(40)

export const BRANCHES = 'refs/heads/'
export const TAGS = 'refs/tags/'
/** References that keep commits from being collected. Clients neither see nor change them. */
export const KEPT = 'refs/keep-around/'
/** What merging merge requests would give. Clients neither see nor change these either. */
export const MERGE_REQUESTS = 'refs/merge-requests/'

/** Whether a text is a whole object id. */
export const isObjectId = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)

/** The longest name of a reference in bytes: each part becomes the name of a file. */
export const MAX_REFERENCE_BYTES = 1_024
const LONGEST_PART = 240

/**
 * Whether git accepts a whole reference name such as `refs/heads/main` (git-check-ref-format(1)), and it starts with
 * no dash, which programs would take for an option.
 */
export function isReferenceName(name: string): boolean {
  if (!name.startsWith('refs/') || Buffer.byteLength(name) > MAX_REFERENCE_BYTES || !name.isWellFormed())
    return false
  // oxlint-disable-next-line no-control-regex
  if (/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$/.test(name)) return false
  const parts = name.split('/')
  return parts.length > 2 && parts.every(isPart)
}

const isPart = (part: string): boolean =>
  part !== '' && !part.startsWith('.') && !part.endsWith('.lock') && Buffer.byteLength(part) <= LONGEST_PART

/** Whether a path leads out of its folder where a backslash separates names, as on Windows. */
export const leadsOut = (path: string): boolean => /(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path)

/** Whether a branch or tag may have this name, without `refs/heads/`. */
export function isShortName(name: string): boolean {
  return !name.startsWith('-') && name !== '@' && isReferenceName(BRANCHES + name)
}

/** The name of a branch without its prefix; undefined for other references. */
export const branchOf = (reference: string): string | undefined =>
  reference.startsWith(BRANCHES) ? reference.slice(BRANCHES.length) : undefined

/** The name of a tag without its prefix; undefined for other references. */
export const tagOf = (reference: string): string | undefined =>
  reference.startsWith(TAGS) ? reference.slice(TAGS.length) : undefined

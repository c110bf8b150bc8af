/** What URLs of badges may name as `%{name}`. */
const placeholders = [
  'project_path',
  'project_title',
  'project_name',
  'project_id',
  'project_namespace',
  'group_name',
  'service_server',
  'service_pages_domain',
  'default_branch',
  'commit_sha',
  'latest_tag',
] as const

export type Placeholder = (typeof placeholders)[number]

/** What replaces each placeholder; empty for what a project does not have. */
export type PlaceholderValues = Readonly<Record<Placeholder, string>>

/** By the names that URLs write. Clients of GitLab write two of them differently. */
const known: ReadonlyMap<string, Placeholder> = new Map([
  ...placeholders.map((name) => [name, name] as const),
  ['gitlab_server', 'service_server'],
  ['gitlab_pages_domain', 'service_pages_domain'],
])

/**
 * Replaces the placeholders of a URL. Values are percent-encoded except for their slashes. Names that are not known
 * stay as they are.
 */
export const replacePlaceholders = (url: string, values: PlaceholderValues): string =>
  replaceKnown(url, (name) => encoded(values[name]))

/** Whether a text is a URL of the web, whatever its placeholders stand for. They cannot replace the scheme. */
export function isWebUrl(text: string): boolean {
  const url = replaceKnown(text, () => 'x')
  return /^https?:\/\/(?![/?#])[^\s\\\p{Cc}]+$/iu.test(url) && URL.canParse(url)
}

const replaceKnown = (url: string, valueOf: (name: Placeholder) => string): string =>
  url.replaceAll(/%\{(\w+)\}/g, (whole, written: string) => {
    const name = known.get(written)
    return name === undefined ? whole : valueOf(name)
  })

const encoded = (value: string): string => value.split('/').map(encodedSegment).join('/')

/** `encodeURIComponent` leaves some characters that end a URL in Markdown and HTML. */
const encodedSegment = (segment: string): string =>
  encodeURIComponent(segment).replaceAll(/[!'()*]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase()
    return `%${code}`
  })

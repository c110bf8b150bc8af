import { parse } from 'yaml'
import { objectInfo, readObject } from '#code/git/objects.ts'
import { findEntry } from '#code/git/tree.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { ClientPattern, PatternRefused } from '#platform/client-pattern.ts'
import { changelogFailed } from './failure.ts'
import { readTemplate, type Template } from './template.ts'

/** How a project wants its changelog. */
export interface ChangelogConfig {
  readonly dateFormat: string
  readonly template: Template
  /** The title of each category, by the value of the trailer. */
  readonly categories: ReadonlyMap<string, string>
  /** Paths of groups whose members are named. */
  readonly includeGroups: readonly string[]
  readonly tagPattern: ClientPattern | undefined
}

export const CONFIG_FILE = '.gitlab/changelog_config.yml'

const TEMPLATE = `{% if categories %}
{% each categories %}
### {{ title }} ({% if single_change %}1 change{% else %}{{ count }} changes{% end %})

{% each entries %}
- [{{ title }}]({{ commit.web_url }})\\
{% if author.credit %} by {{ author.reference }}{% end %}\\
{% if merge_request %} ([merge request]({{ merge_request.web_url }})){% end %}

{% end %}

{% end %}
{% else %}
No changes.
{% end %}
`

/** Bytes of the file, characters of the template and of a date's format, and the most groups. */
const MOST_BYTES = 64 * 1024
const MOST_TEMPLATE = 20_000
const MOST_FORMAT = 100
const MOST_GROUPS = 50

/**
 * Reads the configuration in a commit; without a file, everything is as usual.
 * @throws 422 for a file that cannot be read
 */
export async function readConfig(
  repository: StoredRepository,
  commit: string,
  path: string,
): Promise<ChangelogConfig> {
  const entry = await findEntry(repository, commit, path)
  const info = entry?.type === 'blob' ? await objectInfo(repository, entry.id) : undefined
  if (info === undefined) return configOf({})
  if (info.size > MOST_BYTES) throw changelogFailed(`${path} has more than ${MOST_BYTES / 1024} KB`)
  const file = await readObject(repository, info.id)
  return configOf(readYaml(file?.content.toString('utf8') ?? '', path))
}

function readYaml(text: string, path: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    // Looking for equal keys takes time by the square of their number. The last of them counts.
    value = parse(text, { maxAliasCount: 0, uniqueKeys: false, logLevel: 'error' })
  } catch {
    throw changelogFailed(`${path} is no YAML`)
  }
  if (value === null || value === undefined) return {}
  if (!isMap(value)) throw changelogFailed(`${path} holds no settings`)
  return value
}

function configOf(settings: Readonly<Record<string, unknown>>): ChangelogConfig {
  const { categories = {}, include_groups: groups = [] } = settings
  if (!isMap(categories)) throw changelogFailed('categories should be names and titles')
  if (
    !Array.isArray(groups) ||
    groups.length > MOST_GROUPS ||
    !groups.every((one) => typeof one === 'string')
  )
    throw changelogFailed(`include_groups should be at most ${MOST_GROUPS} paths of groups`)
  const expression = textIn(settings, 'tag_regex', '', MOST_BYTES)
  return {
    dateFormat: textIn(settings, 'date_format', '%Y-%m-%d', MOST_FORMAT),
    template: readTemplate(textIn(settings, 'template', TEMPLATE, MOST_TEMPLATE)),
    categories: new Map(Object.entries(categories).map(([name, title]) => [name, String(title)])),
    includeGroups: groups.map(String),
    tagPattern: expression === '' ? undefined : patternOf(expression),
  }
}

function patternOf(expression: string): ClientPattern {
  try {
    return new ClientPattern(expression)
  } catch (error) {
    throw error instanceof PatternRefused ? changelogFailed(`tag_regex ${error.message}`) : error
  }
}

function textIn(
  settings: Readonly<Record<string, unknown>>,
  name: string,
  fallback: string,
  most: number,
): string {
  const value = settings[name] ?? fallback
  if (typeof value === 'string' && value.length <= most) return value
  throw changelogFailed(`${name} should be a text of at most ${most} characters`)
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
